// Steps that build and extend tuples, lists, sets, dicts and slices.
#include "frontend/cpython/private_api.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

StepOutcome BuildTuple(Step& step) {
  Ref tuple = Ref::Steal(PyTuple_New(step.arg()));
  if (!tuple) return StepOutcome::kRaised;
  for (int i = step.arg(); i-- > 0;) PyTuple_SET_ITEM(tuple.get(), i, step.frame.Pop().Release());
  step.frame.Push(std::move(tuple));
  return StepOutcome::kNext;
}

StepOutcome BuildList(Step& step) {
  Ref list = Ref::Steal(PyList_New(step.arg()));
  if (!list) return StepOutcome::kRaised;
  for (int i = step.arg(); i-- > 0;) PyList_SET_ITEM(list.get(), i, step.frame.Pop().Release());
  step.frame.Push(std::move(list));
  return StepOutcome::kNext;
}

StepOutcome ReplaceTop(Step& step, int count, Ref value) {
  step.frame.SetStackDepth(step.frame.stack_depth() - count);
  step.frame.Push(std::move(value));
  return StepOutcome::kNext;
}

StepOutcome BuildSet(Step& step) {
  Ref set = Ref::Steal(PySet_New(nullptr));
  if (!set) return StepOutcome::kRaised;
  for (int i = step.arg(); i-- > 0;)
    if (PySet_Add(set.get(), step.frame.Peek(i)) < 0) return StepOutcome::kRaised;
  return ReplaceTop(step, step.arg(), std::move(set));
}

StepOutcome BuildMap(Step& step) {
  Ref map = Ref::Steal(PyDict_New());
  if (!map) return StepOutcome::kRaised;
  for (int i = step.arg(); i-- > 0;)
    if (PyDict_SetItem(map.get(), step.frame.Peek(2 * i + 1), step.frame.Peek(2 * i)) < 0)
      return StepOutcome::kRaised;
  return ReplaceTop(step, 2 * step.arg(), std::move(map));
}

StepOutcome BuildConstKeyMap(Step& step) {
  const BorrowedRef keys = step.frame.Peek(0);
  if (!PyTuple_CheckExact(keys) || PyTuple_GET_SIZE(keys) != step.arg()) {
    PyErr_SetString(PyExc_SystemError, "bad BUILD_CONST_KEY_MAP keys argument");
    return StepOutcome::kRaised;
  }
  Ref map = Ref::Steal(PyDict_New());
  if (!map) return StepOutcome::kRaised;
  for (int i = 0; i < step.arg(); ++i) {
    const BorrowedRef value = step.frame.Peek(step.arg() - i);
    if (PyDict_SetItem(map.get(), PyTuple_GET_ITEM(keys, i), value) < 0)
      return StepOutcome::kRaised;
  }
  return ReplaceTop(step, step.arg() + 1, std::move(map));
}

StepOutcome BuildSlice(Step& step) {
  Ref stride = step.arg() == 3 ? step.frame.Pop() : Ref();
  Ref stop = step.frame.Pop();
  Ref start = step.frame.Pop();
  return step.PushOrRaise(PySlice_New(start.get(), stop.get(), stride.get()));
}

StepOutcome ListToTuple(Step& step) {
  Ref list = step.frame.Pop();
  return step.PushOrRaise(PyList_AsTuple(list.get()));
}

// The container that LIST_APPEND and its kin add to, once the added value is popped.
BorrowedRef Target(const Step& step) { return step.frame.Peek(step.arg() - 1); }

StepOutcome ListAppend(Step& step) {
  Ref value = step.frame.Pop();
  return RaisedIf(PyList_Append(Target(step), value.get()) < 0);
}

StepOutcome SetAdd(Step& step) {
  Ref value = step.frame.Pop();
  return RaisedIf(PySet_Add(Target(step), value.get()) != 0);
}

StepOutcome MapAdd(Step& step) {
  Ref value = step.frame.Pop();
  Ref key = step.frame.Pop();
  return RaisedIf(PyDict_SetItem(Target(step), key.get(), value.get()) != 0);
}

StepOutcome ListExtend(Step& step) {
  Ref iterable = step.frame.Pop();
  Ref none =
      Ref::Steal(_PyList_Extend(reinterpret_cast<PyListObject*>(Target(step)), iterable.get()));
  if (none) return StepOutcome::kNext;
  PyTypeObject* type = Py_TYPE(iterable.get());
  if (PyErr_ExceptionMatches(PyExc_TypeError) && type->tp_iter == nullptr &&
      !PySequence_Check(iterable.get())) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "Value after * must be an iterable, not %.200s", type->tp_name);
  }
  return StepOutcome::kRaised;
}

StepOutcome SetUpdate(Step& step) {
  Ref iterable = step.frame.Pop();
  return RaisedIf(_PySet_Update(Target(step), iterable.get()) < 0);
}

StepOutcome DictUpdate(Step& step) {
  Ref update = step.frame.Pop();
  if (PyDict_Update(Target(step), update.get()) == 0) return StepOutcome::kNext;
  if (PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Format(PyExc_TypeError, "'%.200s' object is not a mapping",
                 Py_TYPE(update.get())->tp_name);
  return StepOutcome::kRaised;
}

constexpr StepRow kRows[] = {
    {BUILD_TUPLE, BuildTuple},
    {BUILD_LIST, BuildList},
    {BUILD_SET, BuildSet},
    {BUILD_MAP, BuildMap},
    {BUILD_CONST_KEY_MAP, BuildConstKeyMap},
    {BUILD_SLICE, BuildSlice},
    {LIST_TO_TUPLE, ListToTuple},
    {LIST_APPEND, ListAppend},
    {SET_ADD, SetAdd},
    {MAP_ADD, MapAdd},
    {LIST_EXTEND, ListExtend},
    {SET_UPDATE, SetUpdate},
    {DICT_UPDATE, DictUpdate},
};

}  // namespace

absl::Span<const StepRow> ContainerSteps() { return kRows; }

}  // namespace dynacc::fallback
