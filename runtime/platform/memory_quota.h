// MemoryQuotaAllows: whether a process may take more memory, as containers limit it.
//
// Beyond the limit of its control group no allocation fails: the kernel ends a process instead.
#pragma once

#include <cstdint>
#include <string>

namespace dynacc {

// Whether the process's control group, and each above it, has room for `bytes` more: memory.max of
// version 2, memory.limit_in_bytes of version 1. Pages of files, which the kernel takes back first,
// count as room. True where nothing can be read. `root`: of the file system, "" for the real one.
bool MemoryQuotaAllows(int64_t bytes, const std::string& root = "");

}  // namespace dynacc
