// The frame evaluator (PEP 523): which frames DynaCC's handler gets, and which go on plainly.
//
// Plainly go: resumed and thrown-into frames, generators and coroutines, module and class bodies
// (unless the handler takes them), frames under tracing or profiling, frames entered with an
// exception set (NumPy's linalg calls its error handlers so), frames near the recursion limit or
// beyond kMaxHookedDepth nested evaluator calls (a hooked call uses C stack, CPython's inlined one
// does not), and what runs while the tracer itself works (HookBypass).
#pragma once

#include <Python.h>

#include "absl/status/status.h"
#include "frontend/cache/code_record.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::capture {

// Nested evaluator calls a thread may have before CPython runs the rest by itself: with 8 MiB of
// C stack about 18000 calls of CPython's loop fit; ours are few because their frames are bigger.
constexpr int kMaxHookedDepth = 100;

class FrameHandler {
 public:
  virtual ~FrameHandler() = default;
  // Runs a fresh frame. True: it has run; `*result` is a new reference, or null with an exception
  // set. The frame must be unlinked; CPython clears it. False: nothing has happened, CPython shall
  // run it. May set record.mode.
  virtual bool Handle(frame::FrameView& frame, cache::CodeRecord& record, PyObject** result) = 0;
  // Whether the next call of the code that the frame runs, which CPython runs now, should be seen.
  virtual bool AwaitsCall(const frame::FrameView& /*frame*/) const { return false; }
  // Whether Handle gets module and class bodies too, whose names are in frame_locals().
  virtual bool TakesBodies() const { return false; }
};

// Puts the evaluator into the current interpreter, over the one that is there. `handler` must
// outlive UninstallEvaluator. Fails if it is installed already. Needs the GIL.
absl::Status InstallEvaluator(FrameHandler& handler);

// Puts the previous evaluator back and stops the budget's thread. Frames of the handler that are
// still running finish normally. Safe if nothing is installed.
void UninstallEvaluator();
bool EvaluatorInstalled();
// Whether the current thread's frames may reach the handler.
bool MayHandleFrames();

// Nothing that the current thread runs in its extent reaches the handler: for the tracer and the
// guards' explanations.
class HookBypass {
 public:
  HookBypass();
  ~HookBypass();
  HookBypass(const HookBypass&) = delete;
  HookBypass& operator=(const HookBypass&) = delete;
};

}  // namespace dynacc::capture
