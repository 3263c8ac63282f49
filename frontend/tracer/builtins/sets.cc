// Builtins that make, read and change sets and frozensets.
#include "frontend/tracer/sets.h"

#include "frontend/cpython/private_api.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

absl::StatusOr<symbolic::SetValue*> AsSet(const BuiltinCall& call) {
  auto* set = call.args.empty() ? nullptr : symbolic::As<symbolic::SetValue>(call.args[0]);
  if (set == nullptr || !call.keywords.empty())
    return symbolic::GraphBreak("a set method of another object");
  return set;
}

bool IsNamed(BorrowedRef method, const char* name) {
  return PyUnicode_CompareWithASCIIString(PyDescr_NAME(method), name) == 0;
}

// The method, called on the tracer's own sets.
absl::StatusOr<Ref> CallReal(Tracer& tracer, const BuiltinCall& call) {
  std::vector<Ref> held;
  std::vector<PyObject*> args;
  for (symbolic::Value* arg : call.args) {
    DYNACC_ASSIGN_OR_RETURN(Ref real, RealIterable(tracer, arg));
    args.push_back(real.get());
    held.push_back(std::move(real));
  }
  return Ref::Steal(PyObject_Vectorcall(call.callable, args.data(), args.size(), nullptr));
}

// set.update of one iterable.
absl::Status UpdateFrom(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* iterable) {
  if (!IsAnySet(iterable) && symbolic::As<symbolic::DictValue>(iterable) == nullptr) {
    return ForEachItem(tracer, iterable,
                       [&](symbolic::Value* item) { return AddToSet(tracer, set, item); });
  }
  DYNACC_ASSIGN_OR_RETURN(const Ref items, RealIterable(tracer, iterable));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef now, TableOf(tracer, set));
  tracer.NoteChange(set);
  if (_PySet_Update(now, items.get()) == 0) return absl::OkStatus();
  return tracer.RaiseCurrent("a set's function that raises");
}

}  // namespace

namespace builtins {

absl::StatusOr<symbolic::Value*> MakeSet(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 1));
  if (call.args.empty()) return NewSet(tracer);
  DYNACC_ASSIGN_OR_RETURN(const Ref items, RealIterable(tracer, call.args[0]));
  return SetResult(tracer, Ref::Steal(PySet_New(items.get())));
}

absl::StatusOr<symbolic::Value*> MakeFrozenSet(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 1));
  if (call.args.empty()) return SetResult(tracer, Ref::Steal(PyFrozenSet_New(nullptr)));
  if (IsAnySet(call.args[0]) && symbolic::As<symbolic::SetValue>(call.args[0]) == nullptr)
    return call.args[0];
  DYNACC_ASSIGN_OR_RETURN(const Ref items, RealIterable(tracer, call.args[0]));
  return SetResult(tracer, Ref::Steal(PyFrozenSet_New(items.get())));
}

absl::StatusOr<symbolic::Value*> SetAdd(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set, AsSet(call));
  DYNACC_RETURN_IF_ERROR(AddToSet(tracer, set, call.args[1]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> SetDiscard(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set, AsSet(call));
  DYNACC_RETURN_IF_ERROR(DiscardFromSet(tracer, set, call.args[1]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> SetRemove(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set, AsSet(call));
  DYNACC_ASSIGN_OR_RETURN(const bool found, SetHas(tracer, set, call.args[1]));
  if (found) return SetDiscard(tracer, call);
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, call.args[1]));
  return RaiseKeyError(tracer, key);
}

absl::StatusOr<symbolic::Value*> SetUpdate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set, AsSet(call));
  for (size_t i = 1; i < call.args.size(); ++i) {
    DYNACC_RETURN_IF_ERROR(UpdateFrom(tracer, set, call.args[i]));
  }
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> SetContains(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set, AsSet(call));
  DYNACC_ASSIGN_OR_RETURN(const bool found, SetHas(tracer, set, call.args[1]));
  return tracer.Constant(found ? Py_True : Py_False);
}

// A method that changes the set by what all of it holds.
absl::StatusOr<symbolic::Value*> SetChange(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set, AsSet(call));
  DYNACC_ASSIGN_OR_RETURN(Ref result, CallReal(tracer, call));
  tracer.NoteChange(set);
  return SetResult(tracer, std::move(result));
}

// A method that changes nothing, of a set or a frozenset.
absl::StatusOr<symbolic::Value*> SetQuery(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.empty() || !IsAnySet(call.args[0]) || !call.keywords.empty()) {
    return symbolic::GraphBreak("a set method of another object");
  }
  // Those two stop where they know the answer, and an iterator goes on from there.
  const bool may_stop =
      IsNamed(call.callable, "isdisjoint") || IsNamed(call.callable, "issuperset");
  if (may_stop && call.args.size() == 2) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * other, tracer.Materialize(call.args[1]));
    const bool is_container = IsAnySet(other) || IsSequence(other) ||
                              symbolic::As<symbolic::DictValue>(other) ||
                              symbolic::As<symbolic::DictViewValue>(other);
    if (!is_container) return symbolic::GraphBreak("a set method that stops within an iterable");
  }
  DYNACC_ASSIGN_OR_RETURN(Ref result, CallReal(tracer, call));
  auto* same = symbolic::As<symbolic::ConstantValue>(call.args[0]);
  if (same != nullptr && result.get() == same->object.get()) return same;
  return SetResult(tracer, std::move(result));
}

}  // namespace builtins
}  // namespace dynacc::tracer
