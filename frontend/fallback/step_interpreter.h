// One bytecode instruction executed on real objects, through the C API.
//
// At a graph break the instruction that was not understood runs here: a call, an attribute store, a
// branch on an array's truth, an iterator step, an import ... with CPython's semantics, on a frame
// that is linked and whose locals and value stack are real. What is not handled here is answered
// with kUnhandled before anything has happened; the caller then gives the frame to CPython.
#pragma once

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::fallback {

enum class StepOutcome {
  kNext,      // go on at `*next`
  kReturned,  // the frame's value is `*result`, the stack is clean
  kRaised,    // an exception is set; UnwindToHandler or ResumeWithError goes on with it
  kReraised,  // the same, but its traceback has this frame already: UnwindToHandler, or it leaves
  // A poll of a jump back to `*next` raised: UnwindFromJump.
  kInterrupted,
  kUnhandled,  // not executed; nothing changed
};

// Executes the instruction at `offset`. Polls signals and pending calls where CPython
// does: after calls, on backward jumps and at RESUME. `frame` is linked and is positioned by this
// function. A step may have switched tracing on (IsTracing of
// frontend/cpython/layout.h): then the caller gives the frame to CPython, which reports
// the events.
StepOutcome StepInstruction(frame::FrameView& frame, const bytecode::DecodedCode& code, int offset,
                            int* next, Ref* result);

// What is asked before an operator with an operand to which only the value stack refers: whether it
// is to be computed in the memory of that (frontend/numpy/capi/in_temporary.h). None at first.
using BinaryInTemporary = bool (*)(int nb_op, BorrowedRef left, BorrowedRef right,
                                   PyObject** result);
using UnaryInTemporary = bool (*)(int opcode, BorrowedRef operand, PyObject** result);
void SetOperatorsInTemporary(BinaryInTemporary binary, UnaryInTemporary unary);

// Whether StepInstruction has a handler for the opcode.
bool CanStep(int opcode);

}  // namespace dynacc::fallback
