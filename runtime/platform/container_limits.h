// What containers allow a process: the control groups that it is in, and their bounds on its
// processor time and memory.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace dynacc::platform {

// --- The control groups that a process is in, as containers limit it (Linux, cgroup-v2.rst and
// cgroup-v1).

// Calls `visit` with the folder of each group of the process in which `controller` ("cpu",
// "memory") may have a limit, and of those above it, and with the version, 1 or 2, of their files.
// `root`: of the file system, "" for the real one.
void ForEachControlGroup(const std::string& root, absl::string_view controller,
                         absl::FunctionRef<void(const std::string& folder, int version)> visit);

// The first line of a file of a group; "" if there is none.
std::string FirstLine(const std::string& path);

// --- CpuQuota: how much of the machine's time the process may use, as containers limit it.
//
// A container that may use two of 64 cores' time usually sees all 64. Threads beyond its quota make
// the kernel stop all of its threads for the rest of each period.

// The least quota, in CPUs, of the process's control group and those above it: cpu.max of version
// 2, cpu.cfs_quota_us of version 1. 0 if there is none, or none can be read. `root`: of the file
// system, "" for the real one.
double CpuQuota(const std::string& root);

// --- MemoryQuotaAllows: whether a process may take more memory, as containers limit it.
//
// Beyond the limit of its control group no allocation fails: the kernel ends a process instead.

// Whether the process's control group, and each above it, has room for `bytes` more: memory.max of
// version 2, memory.limit_in_bytes of version 1. Pages of files, which the kernel takes back first,
// count as room. True where nothing can be read. `root`: of the file system, "" for the real one.
bool MemoryQuotaAllows(int64_t bytes, const std::string& root = "");

}  // namespace dynacc::platform
