// Steps on attributes and subscripts.
#include "frontend/cpython/class_states.h"
#include "frontend/cpython/private_api.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

StepOutcome LoadAttr(Step& step) {
  Ref owner = step.frame.Pop();
  return step.PushOrRaise(PyObject_GetAttr(owner.get(), step.Name(step.arg())));
}

StepOutcome StoreAttr(Step& step) {
  Ref owner = step.frame.Pop();
  Ref value = step.frame.Pop();
  ClassStore store(owner.get(), step.Name(step.arg()), value.get());
  if (PyObject_SetAttr(owner.get(), step.Name(step.arg()), value.get()) != 0) {
    return StepOutcome::kRaised;
  }
  store.Keep();
  return StepOutcome::kNext;
}

StepOutcome DeleteAttr(Step& step) {
  Ref owner = step.frame.Pop();
  return RaisedIf(PyObject_SetAttr(owner.get(), step.Name(step.arg()), nullptr) != 0);
}

// [method, self] if the attribute is a method that binding can be spared, else [null, attribute].
StepOutcome LoadMethod(Step& step) {
  PyObject* found = nullptr;
  const bool unbound = _PyObject_GetMethod(step.frame.Peek(0), step.Name(step.arg()), &found) != 0;
  FrameSlot self = step.frame.PopSlot();
  if (found != nullptr && unbound) {
    step.frame.Push(Ref::Steal(found));
    step.frame.PushSlot(self);
    return StepOutcome::kNext;
  }
  const Ref dropped = self.Take();
  if (found == nullptr) return StepOutcome::kRaised;
  step.PushCallable(Ref::Steal(found));
  return StepOutcome::kNext;
}

// super().name, with `super`, the class and the object on the stack. Whatever `super` is, it is
// called.
StepOutcome LoadSuperAttr(Step& step) {
  constexpr int kMethod = 1, kTwoArguments = 2, kNameShift = 2;
  Ref self = step.frame.Pop();
  Ref cls = step.frame.Pop();
  Ref super = step.frame.Pop();
  PyObject* arguments[] = {nullptr, cls.get(), self.get()};
  const size_t count = (step.arg() & kTwoArguments) != 0 ? 2 : 0;
  const Ref bound = Ref::Steal(PyObject_Vectorcall(
      super.get(), arguments + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!bound) return StepOutcome::kRaised;
  Ref found = Ref::Steal(PyObject_GetAttr(bound.get(), step.Name(step.arg() >> kNameShift)));
  if (!found || (step.arg() & kMethod) == 0) return step.PushOrRaise(found.Release());
  step.PushCallable(std::move(found));
  return StepOutcome::kNext;
}

StepOutcome BinarySubscr(Step& step) {
  Ref subscript = step.frame.Pop();
  Ref container = step.frame.Pop();
  return step.PushOrRaise(PyObject_GetItem(container.get(), subscript.get()));
}

StepOutcome StoreSubscr(Step& step) {
  Ref subscript = step.frame.Pop();
  Ref container = step.frame.Pop();
  Ref value = step.frame.Pop();
  return RaisedIf(PyObject_SetItem(container.get(), subscript.get(), value.get()) != 0);
}

StepOutcome BinarySlice(Step& step) {
  Ref stop = step.frame.Pop();
  Ref start = step.frame.Pop();
  Ref container = step.frame.Pop();
  Ref slice = Ref::Steal(PySlice_New(start.get(), stop.get(), nullptr));
  if (!slice) return StepOutcome::kRaised;
  return step.PushOrRaise(PyObject_GetItem(container.get(), slice.get()));
}

StepOutcome StoreSlice(Step& step) {
  Ref stop = step.frame.Pop();
  Ref start = step.frame.Pop();
  Ref container = step.frame.Pop();
  Ref value = step.frame.Pop();
  Ref slice = Ref::Steal(PySlice_New(start.get(), stop.get(), nullptr));
  return RaisedIf(!slice || PyObject_SetItem(container.get(), slice.get(), value.get()) != 0);
}

StepOutcome DeleteSubscr(Step& step) {
  Ref subscript = step.frame.Pop();
  Ref container = step.frame.Pop();
  return RaisedIf(PyObject_DelItem(container.get(), subscript.get()) != 0);
}

constexpr StepRow kRows[] = {
    {LOAD_ATTR, LoadAttr},         {STORE_ATTR, StoreAttr},          {DELETE_ATTR, DeleteAttr},
    {LOAD_METHOD, LoadMethod},     {BINARY_SUBSCR, BinarySubscr},    {STORE_SUBSCR, StoreSubscr},
    {DELETE_SUBSCR, DeleteSubscr}, {LOAD_SUPER_ATTR, LoadSuperAttr}, {BINARY_SLICE, BinarySlice},
    {STORE_SLICE, StoreSlice},
};

}  // namespace

absl::Span<const StepRow> AttributeSteps() { return kRows; }

}  // namespace dynacc::fallback
