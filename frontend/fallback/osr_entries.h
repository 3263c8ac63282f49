// OsrEntries: how control comes back to us from the middle of a frame that CPython's loop runs.
//
// A trap is other code (SetTrap of frontend/cpython/layout.h) in place of an instruction.
// For the frame that the evaluator was called for it leaves _PyEval_EvalFrameDefault without
// clearing anything, and its caller is us. FrameView::UndoTrap makes the frame as it was before the
// trapped instruction; what the loop returned is meaningless.
//
// That holds for our frame only; any other frame that ran the same code would really return. So
// trapped is a code object that one frame has for itself. Who gets hold of it and wants to run it
// announces that by an audit event: the traps are then taken away for good, as all are when a
// tracing tool is set, which would report the return. `co_code` never shows a trap, but
// `_co_code_adaptive` and comparisons of the code object do.
//
// Which instructions may be trapped: those that CPython never executes as the second half of
// another one (Loop::trap).
//
// All under the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::fallback {

class OsrEntries {
 public:
  // Nothing is armed yet. `executed`, what the frame runs, is a copy of what `code` was decoded
  // from, with room for all its traps (CopyForTraps). Both outlive this.
  OsrEntries(PyCodeObject* executed, const bytecode::DecodedCode& code);
  ~OsrEntries();  // disarms all
  OsrEntries(const OsrEntries&) = delete;
  OsrEntries& operator=(const OsrEntries&) = delete;

  // `offset` is the unit of an instruction's opcode. No-ops if that is so already; Arm also after
  // Clear.
  void Arm(int offset);
  void Disarm(int offset);
  // Disarms all; nothing is armed again.
  void Clear();
  // Disarms all for a while. Wake arms them again, unless somebody has got hold of the code
  // meanwhile, or a thread is traced: then it clears.
  void Sleep();
  void Wake(bool traced);

  // Whether a frame that has just come back from CPython's loop without an exception met a trap,
  // rather than a return of its own.
  bool Caught(const frame::FrameView& frame) const;
  // The unit of the opcode whose trap has caught the frame.
  int Place(const frame::FrameView& frame) const;

  PyCodeObject* executed() const { return executed_; }

 private:
  struct Trap {
    int offset;
    std::vector<uint16_t> covered;  // what was there when it was set
  };

  std::vector<Trap>::iterator Find(int offset);
  void Set(Trap& trap);
  void Unset(const Trap& trap);
  int FirstUnit(const Trap& trap) const;  // that it takes
  int Pad(int offset);                    // the unit of the pad that is the offset's from now on

  PyCodeObject* executed_;
  const bytecode::DecodedCode& code_;
  std::vector<Trap> armed_;
  std::vector<int> pads_;  // the offset whose pad it is, in the order of the pads
  bool cleared_ = false;
  Py_ssize_t holders_ = 0;  // of the code, when the sleep began
};

// A copy of the code with room for that many different traps. Empty, without an exception, if there
// is no memory or the code is too long for them.
Ref CopyForTraps(const bytecode::DecodedCode& code, int traps);

// In its extent no trap is armed, and no audit event listened to (audit.h).
class TrapsAsleep {
 public:
  TrapsAsleep();
  ~TrapsAsleep();
  TrapsAsleep(const TrapsAsleep&) = delete;
  TrapsAsleep& operator=(const TrapsAsleep&) = delete;
};

}  // namespace dynacc::fallback
