// Steps on attributes and subscripts.
#include "frontend/cpython/class_states.h"
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
  Ref self = step.frame.Pop();
  const bool unbound = _PyObject_GetMethod(self.get(), step.Name(step.arg()), &found) != 0;
  if (found == nullptr) return StepOutcome::kRaised;
  if (!unbound) step.frame.Push(Ref());
  step.frame.Push(Ref::Steal(found));
  if (unbound) step.frame.Push(std::move(self));
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

StepOutcome DeleteSubscr(Step& step) {
  Ref subscript = step.frame.Pop();
  Ref container = step.frame.Pop();
  return RaisedIf(PyObject_DelItem(container.get(), subscript.get()) != 0);
}

constexpr StepRow kRows[] = {
    {LOAD_ATTR, LoadAttr},         {STORE_ATTR, StoreAttr},       {DELETE_ATTR, DeleteAttr},
    {LOAD_METHOD, LoadMethod},     {BINARY_SUBSCR, BinarySubscr}, {STORE_SUBSCR, StoreSubscr},
    {DELETE_SUBSCR, DeleteSubscr},
};

}  // namespace

absl::Span<const StepRow> AttributeSteps() { return kRows; }

}  // namespace dynacc::fallback
