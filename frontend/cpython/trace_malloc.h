// tracemalloc's record of memory, Python's own and others'.
#pragma once

#include <Python.h>

namespace dynacc {

// PyTraceMalloc_Track. CPython 3.11's tracemalloc.h forgets to say extern "C", so the function is
// declared here anew, by its symbol. Nothing happens unless tracemalloc is on.
extern "C" int TrackMemory(unsigned domain, uintptr_t address,
                           size_t bytes) __asm__("PyTraceMalloc_Track");

// Whether tracemalloc is on.
bool MemoryIsTracked();

}  // namespace dynacc
