#include "frontend/frame/frame_view.h"

#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/silent_entry.h"
#include "frontend/cpython/thread_end.h"
#include "runtime/base/check.h"

namespace dynacc::frame {

PyCodeObject* FrameView::code() const { return frame_->f_code; }
BorrowedRef FrameView::function() const { return reinterpret_cast<PyObject*>(frame_->f_func); }
BorrowedRef FrameView::globals() const { return frame_->f_globals; }
BorrowedRef FrameView::builtins() const { return frame_->f_builtins; }
BorrowedRef FrameView::frame_locals() const { return frame_->f_locals; }
PyObject** FrameView::localsplus() const { return frame_->localsplus; }
int FrameView::num_localsplus() const { return frame_->f_code->co_nlocalsplus; }
int FrameView::stack_depth() const { return frame_->stacktop - num_localsplus(); }
bool FrameView::is_fresh() const { return FrameIsFresh(frame_); }
bool FrameView::has_object() const { return frame_->frame_obj != nullptr; }

bool FrameView::is_function() const { return FrameIsFunction(frame_); }

sources::SourceRoots FrameView::roots() const {
  sources::SourceRoots roots;
  roots.localsplus = localsplus();
  roots.num_localsplus = num_localsplus();
  roots.function = function();
  roots.globals = globals();
  roots.builtins = builtins();
  return roots;
}

// The frame joins the chain of the C frame that called the evaluator: its caller's. What we call
// makes a C frame of its own with our frame as `previous`, as it would under CPython's loop.
// `previous` stays set afterwards, because a frame object that outlives the frame takes f_back
// from it. One level of recursion is charged, as for a frame that CPython's loop inlines.
void FrameView::Link() {
  DYNACC_CHECK(!linked_) << "a frame is linked twice";
  linked_ = true;
  previous_ = CurrentFrame(thread_);
  frame_->previous = previous_;
  frame_->is_entry = true;
  SetCurrentFrame(thread_, frame_);
  --thread_->recursion_remaining;
}

void FrameView::Unlink() {
  DYNACC_CHECK(linked_ && CurrentFrame(thread_) == frame_) << "frames are unlinked out of order";
  linked_ = false;
  SetCurrentFrame(thread_, previous_);
  ++thread_->recursion_remaining;
}

void FrameView::SetPosition(int offset) { SetExecuting(frame_, offset); }

int FrameView::position() const { return _PyInterpreterFrame_LASTI(frame_); }

void FrameView::SetLocal(int index, Ref value) {
  // Dropping the old value may run code that looks at this frame: store first.
  Ref dropped = Ref::Steal(std::exchange(frame_->localsplus[index], value.Release()));
}

void FrameView::SetStack(std::vector<Ref> values) {
  SetStackDepth(0);
  for (Ref& value : values) Push(std::move(value));
}

void FrameView::Push(Ref value) { frame_->localsplus[frame_->stacktop++] = value.Release(); }

Ref FrameView::Pop() { return Ref::Steal(frame_->localsplus[--frame_->stacktop]); }

BorrowedRef FrameView::Peek(int from_top) const {
  return frame_->localsplus[frame_->stacktop - 1 - from_top];
}

void FrameView::SetStackDepth(int depth) {
  while (stack_depth() > depth) Pop();
}

void FrameView::ExchangeCode(BorrowedRef code) {
  const int position = _PyInterpreterFrame_LASTI(frame_);
  const Ref before = Ref::Steal(reinterpret_cast<PyObject*>(frame_->f_code));
  frame_->f_code = reinterpret_cast<PyCodeObject*>(Py_NewRef(code));
  frame_->prev_instr = _PyCode_CODE(frame_->f_code) + position;
}

// The loop clears neither the slot nor the frame. On an empty stack it has read what lies below,
// and only counted.
void FrameView::UndoReturn() { ++frame_->stacktop; }

PyObject* FrameView::Resume(int offset) {
  DYNACC_CHECK(!linked_) << "a linked frame is given to CPython";
  SetNext(frame_, offset);
  return UpToThreadEnd([this] { return _PyEval_EvalFrameDefault(thread_, frame_, 0); });
}

PyObject* FrameView::ResumeWithError(int offset) {
  DYNACC_CHECK(!linked_ && PyErr_Occurred()) << "a frame is resumed with an error that is not set";
  SetExecuting(frame_, offset);
  SilentEntry silent(thread_);
  return UpToThreadEnd([this] { return _PyEval_EvalFrameDefault(thread_, frame_, 1); });
}

}  // namespace dynacc::frame
