// What the files of a KernelDirectory take on the disk, and which of them go when it is too much.
//
// Only files that a KernelDirectory makes are counted or deleted: regular ones of this user's,
// named by 32 hexadecimal digits and .kernel, .cc or .PID.N.part after one of these. What another
// process deletes or replaces meanwhile does not matter.
#pragma once

#include <cstdint>

namespace dynacc::cache {

// Deletes the oldest files until `room` of the `quota` is free, if they take more than the quota;
// and what writers left that died more than an hour ago. `folder` is the directory's descriptor.
// Returns what the files take afterwards, in bytes; 0 if the directory cannot be read.
uint64_t KeepKernelQuota(int folder, uint64_t quota, uint64_t room);

}  // namespace dynacc::cache
