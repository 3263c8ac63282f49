// FrameView: a running interpreter frame, seen through the one type that hides CPython's layout.
//
// A view is valid while the evaluator hook runs for its frame. Positions are code unit offsets of
// an instruction's start (DecodedCode). All accessors are O(1) and borrowed unless said.
#pragma once

#include <Python.h>

#include <vector>

#include "absl/functional/function_ref.h"
#include "frontend/cpython/frame_slot.h"
#include "frontend/sources/source.h"

struct _PyInterpreterFrame;

namespace dynacc::frame {

class FrameView {
 public:
  FrameView(PyThreadState* thread, _PyInterpreterFrame* frame) : thread_(thread), frame_(frame) {}

  PyCodeObject* code() const;
  BorrowedRef function() const;
  BorrowedRef globals() const;
  BorrowedRef builtins() const;
  BorrowedRef frame_locals() const;  // the dict of a module or class body; null in functions
  FrameSlot* localsplus() const;     // locals and cells, then the value stack
  int num_localsplus() const;
  int stack_depth() const;
  bool is_fresh() const;     // nothing of it has run yet
  bool has_object() const;   // somebody may look at it, even after its end
  bool is_function() const;  // optimised locals, not a generator or coroutine
  sources::SourceRoots roots() const;

  // Makes the frame the thread's current one, so that sys._getframe, warnings and tracebacks of
  // what we call see it, standing at SetPosition's offset; and undoes that. Must be balanced.
  void Link();
  void Unlink();
  void SetPosition(int offset);  // `offset` is the instruction being executed now
  int position() const;          // the opcode unit that SetPosition made it stand at

  // Writes local or cell `index`; takes over `value` (null: unbound) and drops the old value.
  void SetLocal(int index, Ref value);
  Ref TakeLocal(int index);  // leaves it unbound
  void Push(Ref value);
  Ref Pop();
  // An entry as it is, counted or not.
  void PushSlot(FrameSlot slot);
  FrameSlot PopSlot();
  BorrowedRef Peek(int from_top) const;  // 0: top of stack
  FrameSlot* Top(int count) const;       // the topmost `count` entries, the lowest first
  void SetStackDepth(int depth);         // drops what is above

  // Gives the rest of the frame to CPython, at the instruction that starts at `offset`. The frame
  // must not be linked. Returns what the frame returns; null with an exception set. The frame may
  // be gone then.
  PyObject* Resume(int offset);
  // The same, raising the current exception at the instruction at `offset`: handlers run.
  PyObject* ResumeWithError(int offset);

  // Makes the frame run another code object, an equal one, from the same place on.
  void ExchangeCode(BorrowedRef code);
  // For osr_entries.h, after CPython's loop has come back from the trap at `offset`: makes the
  // frame as it was before the trapped instruction, whose stack has `depth` entries.
  void UndoTrap(int offset, int depth);

  // Has another evaluator run the fresh frame to its end.
  PyObject* RunBy(absl::FunctionRef<PyObject*()> evaluator);
  // Whether CPython has ended the frame, and nobody may look at it.
  bool is_gone() const { return is_gone_; }
  // The frame returns, or an exception leaves it, by no doing of CPython's loop: what the evaluator
  // does with it then. No-op if it is gone.
  void End();

  PyThreadState* thread() const { return thread_; }
  _PyInterpreterFrame* raw() const { return frame_; }

 private:
  PyObject* RunLoop(int throwflag);
  void StandInCache();

  PyThreadState* thread_;
  _PyInterpreterFrame* frame_;
  _PyInterpreterFrame* previous_ = nullptr;
  bool linked_ = false;
  bool is_gone_ = false;
};

}  // namespace dynacc::frame
