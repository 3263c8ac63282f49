#include "frontend/frame/frame_view.h"

#include "frontend/bytecode/code_tables.h"
#include "frontend/cpython/bytecode_format.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/silent_entry.h"
#include "frontend/cpython/thread_end.h"
#include "runtime/base/check.h"

namespace dynacc::frame {
namespace {

// The row of the exception table, by its start; -1: none.
int HandlerAt(const PyCodeObject* code, int unit) {
  for (const bytecode::HandlerRange& row :
       bytecode::DecodeExceptionTable(code->co_exceptiontable)) {
    if (row.start <= unit && unit < row.end) return row.start;
  }
  return -1;
}

}  // namespace

PyCodeObject* FrameView::code() const { return CodeOf(frame_); }
BorrowedRef FrameView::function() const { return FunctionOf(frame_); }
BorrowedRef FrameView::globals() const { return frame_->f_globals; }
BorrowedRef FrameView::builtins() const { return frame_->f_builtins; }
BorrowedRef FrameView::frame_locals() const { return frame_->f_locals; }
FrameSlot* FrameView::localsplus() const { return SlotsOf(frame_); }
int FrameView::num_localsplus() const { return CodeOf(frame_)->co_nlocalsplus; }
int FrameView::stack_depth() const { return StackTop(frame_) - num_localsplus(); }
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
  JoinChain(frame_, previous_);
  SetCurrentFrame(thread_, frame_);
  ChargeRecursion(thread_, 1);
}

void FrameView::Unlink() {
  DYNACC_CHECK(linked_ && CurrentFrame(thread_) == frame_) << "frames are unlinked out of order";
  linked_ = false;
  SetCurrentFrame(thread_, previous_);
  ChargeRecursion(thread_, -1);
}

void FrameView::SetPosition(int offset) { SetExecuting(frame_, offset); }

int FrameView::position() const { return FramePosition(frame_); }

void FrameView::SetLocal(int index, Ref value) {
  // Dropping the old value may run code that looks at this frame: store first.
  const Ref dropped = localsplus()[index].Exchange(std::move(value));
}

Ref FrameView::TakeLocal(int index) { return localsplus()[index].Take(); }

void FrameView::Push(Ref value) {
  const int top = StackTop(frame_);
  localsplus()[top].Put(std::move(value));
  SetStackTop(frame_, top + 1);
}

Ref FrameView::Pop() {
  const int top = StackTop(frame_) - 1;
  SetStackTop(frame_, top);
  return localsplus()[top].Take();
}

void FrameView::PushSlot(FrameSlot slot) {
  const int top = StackTop(frame_);
  localsplus()[top] = slot;
  SetStackTop(frame_, top + 1);
}

FrameSlot FrameView::PopSlot() {
  const int top = StackTop(frame_) - 1;
  SetStackTop(frame_, top);
  return localsplus()[top];
}

BorrowedRef FrameView::Peek(int from_top) const { return *Top(from_top + 1); }

FrameSlot* FrameView::Top(int count) const { return localsplus() + StackTop(frame_) - count; }

void FrameView::SetStackDepth(int depth) {
  while (stack_depth() > depth) Pop();
}

void FrameView::ExchangeCode(BorrowedRef code) {
  const int position = FramePosition(frame_);
  SetFrameCode(frame_, Ref::New(code));
  SetFramePosition(frame_, position);
}

PyObject* FrameView::Resume(int offset) {
  DYNACC_CHECK(!linked_) << "a linked frame is given to CPython";
  SetNextUnit(frame_, offset);
  return RunLoop(0);
}

PyObject* FrameView::ResumeWithError(int offset) {
  DYNACC_CHECK(!linked_ && PyErr_Occurred()) << "a frame is resumed with an error that is not set";
  SetExecuting(frame_, offset);
  if (kFindsHandlersBehind) StandInCache();
  SilentEntry silent(thread_);
  return RunLoop(1);
}

// Where the unit before the instruction has another handler. The unit before the instruction's
// first cache is its opcode's. What has no cache is looked for at the instruction before it. Not
// without need: the program sees the position, and where a tool traces no line is known of a cache.
void FrameView::StandInCache() {
  const int unit = position();
  if (HandlerAt(code(), unit - 1) == HandlerAt(code(), unit)) return;
  const Ref bytecode = Ref::Steal(PyCode_GetCode(code()));
  const auto* opcodes = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytecode.get()));
  if (RunningBytecodeFormat().Row(opcodes[2 * unit]).caches > 0) SetFramePosition(frame_, unit + 1);
}

PyObject* FrameView::RunLoop(int throwflag) {
  InterpreterFrame* const previous = CurrentFrame(thread_);
  PyObject* const result = UpToThreadEnd(
      [this, throwflag] { return _PyEval_EvalFrameDefault(thread_, frame_, throwflag); });
  is_gone_ = !SurvivesLoop(thread_, frame_, previous);
  return result;
}

PyObject* FrameView::RunBy(absl::FunctionRef<PyObject*()> evaluator) {
  PyObject* const result = evaluator();
  is_gone_ = true;
  return result;
}

void FrameView::UndoTrap(int offset, int depth) {
  dynacc::UndoTrap(frame_, depth);
  SetFramePosition(frame_, offset);
}

void FrameView::End() {
  if (!is_gone_) EndFrame(thread_, frame_);
  is_gone_ = true;
}

}  // namespace dynacc::frame
