// LoopTraps: how control comes back to us from the middle of a frame that CPython's loop runs.
//
// A trap is a RETURN_VALUE in place of an instruction's opcode. For the frame that the evaluator
// was called for, CPython 3.11's RETURN_VALUE leaves _PyEval_EvalFrameDefault without clearing
// anything: it pops one entry, whose slot keeps its value, and its caller is us. UndoReturn makes
// the frame as it was before the trapped instruction; what the loop returned is meaningless.
//
// That holds for our frame only; any other frame that ran the same code would really return. So
// only code outside functions (module bodies, exec) is trapped, whose every run is announced by an
// audit event, and only when no other frame runs it (BodyRunner::CanRun): ClearTrapsOf then takes
// the traps away for good, as ClearAllTraps does when a tracing tool is set, which would report the
// return. `co_code` never shows a trap, but `_co_code_adaptive` and comparisons of the code object
// do.
//
// Which instructions may be trapped: those that CPython 3.11 never executes as the second half of
// another one. Without fast locals that is all but conditional jumps.
//
// All under the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/frame_view.h"

namespace dynacc {

class LoopTraps {
 public:
  // Nothing is armed yet. `code` has no fast locals and outlives this; HasTraps does not hold for
  // it: a frame could not tell another's traps from its own.
  explicit LoopTraps(const DecodedCode& code);
  ~LoopTraps();  // disarms all
  LoopTraps(const LoopTraps&) = delete;
  LoopTraps& operator=(const LoopTraps&) = delete;

  // `offset` is the unit of an instruction's opcode. No-ops if that is so already; Arm also after
  // Clear.
  void Arm(int offset);
  void Disarm(int offset);
  // Disarms all; nothing is armed again.
  void Clear();

  // Whether a frame that has just come back from CPython's loop without an exception met a trap,
  // rather than a return of its own.
  bool Caught(const FrameView& frame) const;

  PyCodeObject* code() const { return code_.code(); }

 private:
  struct Trap {
    int offset;
    uint8_t opcode;  // what was there
  };

  const DecodedCode& code_;
  std::vector<Trap> armed_;
  bool cleared_ = false;
};

// Whether a frame is running `code` with traps, armed or cleared.
bool HasTraps(const PyCodeObject* code);

// Clears the traps of one code object, or of all.
void ClearTrapsOf(PyObject* code);
void ClearAllTraps();

}  // namespace dynacc
