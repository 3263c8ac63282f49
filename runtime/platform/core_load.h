// Whether other programs leave a core free: what a thread pool asks before it splits work that is
// shorter than a turn of the scheduler.
#pragma once

#include <string>

namespace dynacc::platform {

// Threads of the whole machine that run or wait for a core, the asking one included, from
// /proc/loadavg; 0 if that cannot be read. Takes some ten microseconds. `root`: of the file system,
// "" for the real one.
int RunnableThreads(const std::string& root);

// Cores that the machine has, whoever may use them.
int OnlineCores();

// Cores that this process may use: by its affinity, and the limit of its container. At least 1, at
// most 256.
int UsableCores();

}  // namespace dynacc::platform
