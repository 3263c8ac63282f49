// What compiled loop programs call (codegen/loops/prelude.h declares the same): functions that the
// object loader knows by name, so that no symbol of the process is looked up.
#pragma once

#include "runtime/loops/loop_program.h"

extern "C" {
double DynaccLoopFmod(double a, double b);
double DynaccLoopPow(double a, double b);

// A call of a LoopCallee with one number or two; false if it left the loop.
bool DynaccLoopCall(const void* callee, double a, double b, bool binary, double* result);

// A LoopCallee's operation on the 1-D slices in these registers.
bool DynaccLoopSlice1d(const void* callee, const dynacc::loops::LoopHost* host,
                       dynacc::loops::LoopSlot* registers, int d, int a, int b);
// So many bytes of a block of the run's LoopScratch.
char* DynaccLoopScratch(const dynacc::loops::LoopHost* host, int block, int64_t bytes);
}  // extern "C"
