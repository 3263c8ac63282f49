// How the C library's heap treats what arrays free, in a process that is ours (the launcher's).
#pragma once

namespace dynacc {

// Keeps up to kKeptHeap bytes of freed memory instead of giving them back to the system at once.
//
// An array program frees and takes some large arrays in each of its rounds. By default glibc maps
// and unmaps blocks, or trims the heap's end, and each array's pages are then touched for the first
// time again, which takes longer than the arithmetic: of a Monte-Carlo program's 25 thousand page
// faults 6 thousand are left, and a tenth of its processor time is saved. What the user says
// through MALLOC_... or GLIBC_TUNABLES stays. Another C library is left alone.
void KeepFreedMemory();

// Above this a block is mapped by itself: the most that glibc's own adaptation reaches.
constexpr int kLargestHeapBlock = 32 << 20;
constexpr int kKeptHeap = 64 << 20;

}  // namespace dynacc
