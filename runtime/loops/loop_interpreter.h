// Runs a LoopProgram without compiling it: some nanoseconds an op.
#pragma once

#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// Runs until an exit, whose number is returned. Registers then hold the state before the
// instruction that the exit belongs to.
int InterpretLoop(const LoopProgram& program, LoopFrame& frame);

// What kCall1 and kCall2 do. False if Python has something to say of it.
bool CallOne(const LoopCallee& callee, double a, double* result);
bool CallTwo(const LoopCallee& callee, double a, double b, double* result);
// What kSlice1d does, on the registers of those numbers.
bool CallSlice1d(const LoopCallee& callee, const LoopHost& host, LoopSlot* registers, int d, int a,
                 int b);

}  // namespace dynacc::loops
