// Loop programs printed as C++, for a compiler to make what loop_interpreter.h does of them.
#pragma once

#include <string>

#include "codegen/loops/loop_unrolling.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// What a printed program defines: extern "C" int DynaccLoop(LoopFrame fields). It works on the
// registers in local variables, and writes back those that an exit tells of (LoopProgram::exits):
// the same bits as the interpreter leaves there. Returns the exit.
using LoopFunction = int (*)(LoopSlot* registers, const StridedView* arrays, const uint8_t* poll,
                             const LoopHost* host, const LoopCallee* callees, int64_t* rounds,
                             int64_t most_rounds);

inline constexpr char kLoopFunctionName[] = "DynaccLoop";
inline constexpr char kLoopHeaderName[] = "dynacc_loops.h";

// A text that includes kLoopHeaderName. It does the same for all inputs, and what it does for such
// as these is unrolled (loop_unrolling.h). Without inputs nothing is assumed of them.
std::string PrintLoopSource(const LoopProgram& program, const LoopInputs& inputs = {});

// That header: prelude.h, loop_objects.h, undo_log.h, loop_math.h, intervals.h, windows.h and
// slices.h.
std::string LoopHeader();

}  // namespace dynacc::loops
