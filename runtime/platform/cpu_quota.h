// CpuQuota: how much of the machine's time the process may use, as containers limit it.
//
// A container that may use two of 64 cores' time usually sees all 64. Threads beyond its quota make
// the kernel stop all of its threads for the rest of each period.
#pragma once

#include <string>

namespace dynacc {

// The least quota, in CPUs, of the process's control group and those above it: cpu.max of version
// 2, cpu.cfs_quota_us of version 1. 0 if there is none, or none can be read. `root`: of the file
// system, "" for the real one.
double CpuQuota(const std::string& root);

}  // namespace dynacc
