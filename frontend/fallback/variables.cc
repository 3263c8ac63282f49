// Steps on locals, cells, globals and the names of module and class bodies.
#include "frontend/fallback/name_errors.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

enum class Lookup { kFound, kMissing, kFailed };

// mapping[name], a missing key being no error. `*value` is a new reference.
Lookup LookUp(BorrowedRef mapping, BorrowedRef name, Ref* value) {
  if (PyDict_CheckExact(mapping)) {
    *value = Ref::New(PyDict_GetItemWithError(mapping, name));
    if (*value) return Lookup::kFound;
    return PyErr_Occurred() ? Lookup::kFailed : Lookup::kMissing;
  }
  *value = Ref::Steal(PyObject_GetItem(mapping, name));
  if (*value) return Lookup::kFound;
  if (!PyErr_ExceptionMatches(PyExc_KeyError)) return Lookup::kFailed;
  PyErr_Clear();
  return Lookup::kMissing;
}

Lookup LookUpGlobal(const Step& step, BorrowedRef name, Ref* value) {
  const Lookup found = LookUp(step.frame.globals(), name, value);
  return found == Lookup::kMissing ? LookUp(step.frame.builtins(), name, value) : found;
}

StepOutcome PushLocal(Step& step, int local) {
  const BorrowedRef value = step.Local(local);
  if (value == nullptr) return RaiseUnboundLocal(step, local);
  if (step.at.borrows) {
    step.frame.PushSlot(FrameSlot(value));
  } else {
    step.frame.Push(Ref::New(value));
  }
  return StepOutcome::kNext;
}

StepOutcome LoadFast(Step& step) { return PushLocal(step, step.arg()); }

StepOutcome StoreFast(Step& step) {
  step.frame.SetLocal(step.arg(), step.frame.Pop());
  return StepOutcome::kNext;
}

// An inlined comprehension puts what its variable held aside, perhaps nothing.
StepOutcome LoadFastAndClear(Step& step) {
  step.frame.Push(step.frame.TakeLocal(step.arg()));
  return StepOutcome::kNext;
}

StepOutcome LoadFastLoadFast(Step& step) {
  const StepOutcome first = PushLocal(step, step.arg() >> 4);
  return first == StepOutcome::kNext ? PushLocal(step, step.arg() & 15) : first;
}

StepOutcome StoreFastLoadFast(Step& step) {
  step.frame.SetLocal(step.arg() >> 4, step.frame.Pop());
  return PushLocal(step, step.arg() & 15);
}

StepOutcome StoreFastStoreFast(Step& step) {
  step.frame.SetLocal(step.arg() >> 4, step.frame.Pop());
  step.frame.SetLocal(step.arg() & 15, step.frame.Pop());
  return StepOutcome::kNext;
}

StepOutcome DeleteFast(Step& step) {
  if (step.Local(step.arg()) == nullptr) return RaiseUnboundLocal(step, step.arg());
  step.frame.SetLocal(step.arg(), Ref());
  return StepOutcome::kNext;
}

StepOutcome MakeCell(Step& step) {
  Ref cell = Ref::Steal(PyCell_New(step.Local(step.arg())));
  if (!cell) return StepOutcome::kRaised;
  step.frame.SetLocal(step.arg(), std::move(cell));
  return StepOutcome::kNext;
}

StepOutcome CopyFreeVars(Step& step) {
  const BorrowedRef closure =
      reinterpret_cast<PyFunctionObject*>(step.frame.function())->func_closure;
  const int first = step.frame.num_localsplus() - step.arg();
  for (int i = 0; i < step.arg(); ++i)
    step.frame.SetLocal(first + i, Ref::New(PyTuple_GET_ITEM(closure, i)));
  return StepOutcome::kNext;
}

StepOutcome LoadClosure(Step& step) {
  const BorrowedRef cell = step.Local(step.arg());
  if (cell == nullptr) return RaiseUnboundLocal(step, step.arg());
  step.frame.Push(Ref::New(cell));
  return StepOutcome::kNext;
}

StepOutcome LoadDeref(Step& step) {
  const BorrowedRef value = PyCell_GET(step.Local(step.arg()));
  if (value == nullptr) return RaiseUnboundCell(step, step.arg());
  step.frame.Push(Ref::New(value));
  return StepOutcome::kNext;
}

StepOutcome LoadClassDeref(Step& step) {
  Ref value;
  const BorrowedRef name = PyTuple_GET_ITEM(step.code.code()->co_localsplusnames, step.arg());
  const Lookup found = LookUp(step.frame.frame_locals(), name, &value);
  if (found == Lookup::kFailed) return StepOutcome::kRaised;
  if (found == Lookup::kMissing) return LoadDeref(step);
  step.frame.Push(std::move(value));
  return StepOutcome::kNext;
}

Ref ExchangeCell(BorrowedRef cell, Ref value) {
  Ref before = Ref::Steal(PyCell_GET(cell));
  PyCell_SET(cell, value.Release());
  return before;
}

StepOutcome StoreDeref(Step& step) {
  ExchangeCell(step.Local(step.arg()), step.frame.Pop());
  return StepOutcome::kNext;
}

StepOutcome DeleteDeref(Step& step) {
  if (!ExchangeCell(step.Local(step.arg()), Ref())) return RaiseUnboundCell(step, step.arg());
  return StepOutcome::kNext;
}

StepOutcome LoadGlobal(Step& step) {
  const BorrowedRef name = step.Name(step.arg() >> 1);
  Ref value;
  const Lookup found = LookUpGlobal(step, name, &value);
  if (found == Lookup::kFailed) return StepOutcome::kRaised;
  if (found == Lookup::kMissing) return RaiseUndefinedName(name);
  if ((step.arg() & 1) == 0) return step.PushOrRaise(value.Release());
  step.PushCallable(std::move(value));
  return StepOutcome::kNext;
}

StepOutcome StoreGlobal(Step& step) {
  Ref value = step.frame.Pop();
  return RaisedIf(PyDict_SetItem(step.frame.globals(), step.Name(step.arg()), value.get()) < 0);
}

StepOutcome DeleteGlobal(Step& step) {
  const BorrowedRef name = step.Name(step.arg());
  if (PyDict_DelItem(step.frame.globals(), name) == 0) return StepOutcome::kNext;
  return PyErr_ExceptionMatches(PyExc_KeyError) ? RaiseUndefinedName(name) : StepOutcome::kRaised;
}

StepOutcome RaiseNoLocals(const char* format, BorrowedRef name) {
  PyErr_Format(PyExc_SystemError, format, name);
  return StepOutcome::kRaised;
}

StepOutcome LoadName(Step& step) {
  const BorrowedRef name = step.Name(step.arg());
  const BorrowedRef locals = step.frame.frame_locals();
  if (locals == nullptr) return RaiseNoLocals("no locals when loading %R", name);
  Ref value;
  Lookup found = LookUp(locals, name, &value);
  if (found == Lookup::kMissing) found = LookUpGlobal(step, name, &value);
  if (found == Lookup::kFailed) return StepOutcome::kRaised;
  if (found == Lookup::kMissing) return RaiseUndefinedName(name);
  step.frame.Push(std::move(value));
  return StepOutcome::kNext;
}

StepOutcome StoreName(Step& step) {
  const BorrowedRef name = step.Name(step.arg());
  const BorrowedRef locals = step.frame.frame_locals();
  Ref value = step.frame.Pop();
  if (locals == nullptr) return RaiseNoLocals("no locals found when storing %R", name);
  const int failed = PyDict_CheckExact(locals) ? PyDict_SetItem(locals, name, value.get())
                                               : PyObject_SetItem(locals, name, value.get());
  return RaisedIf(failed != 0);
}

StepOutcome DeleteName(Step& step) {
  const BorrowedRef name = step.Name(step.arg());
  const BorrowedRef locals = step.frame.frame_locals();
  if (locals == nullptr) return RaiseNoLocals("no locals when deleting %R", name);
  return PyObject_DelItem(locals, name) == 0 ? StepOutcome::kNext : RaiseUndefinedName(name);
}

constexpr StepRow kRows[] = {
    {LOAD_FAST, LoadFast},
    {STORE_FAST, StoreFast},
    {LOAD_FAST_AND_CLEAR, LoadFastAndClear},
    {LOAD_FAST_LOAD_FAST, LoadFastLoadFast},
    {STORE_FAST_LOAD_FAST, StoreFastLoadFast},
    {STORE_FAST_STORE_FAST, StoreFastStoreFast},
    {DELETE_FAST, DeleteFast},
    {MAKE_CELL, MakeCell},
    {COPY_FREE_VARS, CopyFreeVars},
    {LOAD_CLOSURE, LoadClosure},
    {LOAD_DEREF, LoadDeref},
    {LOAD_CLASSDEREF, LoadClassDeref},
    {STORE_DEREF, StoreDeref},
    {DELETE_DEREF, DeleteDeref},
    {LOAD_GLOBAL, LoadGlobal},
    {STORE_GLOBAL, StoreGlobal},
    {DELETE_GLOBAL, DeleteGlobal},
    {LOAD_NAME, LoadName},
    {STORE_NAME, StoreName},
    {DELETE_NAME, DeleteName},
};

}  // namespace

absl::Span<const StepRow> VariableSteps() { return kRows; }

}  // namespace dynacc::fallback
