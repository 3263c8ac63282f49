// Builtins about classes and attributes.
#include "frontend/tracer/objects.h"

#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/names.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::StatusOr<BorrowedRef> AttributeName(Value* value) {
  auto* constant = As<ConstantValue>(value);
  if (constant == nullptr || !PyUnicode_CheckExact(constant->object.get())) {
    return GraphBreak("an attribute whose name may change");
  }
  DYNACC_RETURN_IF_ERROR(NameText(constant->object.get()).status());
  return constant->object.get();
}

// The class in whose body the running method was written: its __class__ cell.
absl::StatusOr<ConstantValue*> ClassCell(Tracer& tracer) {
  const SymbolicFrame& frame = tracer.frame();
  PyObject* names = frame.raw_code()->co_localsplusnames;
  const PyCodeObject* code = frame.raw_code();
  for (int i = code->co_nlocalsplus - code->co_nfreevars; i < code->co_nlocalsplus; ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "__class__") != 0) continue;
    DYNACC_ASSIGN_OR_RETURN(CellValue * cell, tracer.CellAt(i));
    if (cell->content == nullptr) break;
    DYNACC_ASSIGN_OR_RETURN(Value * cls, tracer.Materialize(cell->content));
    if (auto* constant = As<ConstantValue>(cls)) return constant;
  }
  return GraphBreak("super() outside a method");
}

// The classes of `int | float`, which is immutable; null for what is no such union.
Value* UnionMembers(Tracer& tracer, Value* value) {
  auto* constant = As<ConstantValue>(value);
  auto* object = As<ObjectValue>(value);
  if (constant == nullptr && object == nullptr) return nullptr;
  BorrowedRef held = constant != nullptr ? constant->object.get() : object->object.get();
  if (absl::string_view(Py_TYPE(held)->tp_name) != "types.UnionType" ||
      !PyType_HasFeature(Py_TYPE(held), Py_TPFLAGS_IMMUTABLETYPE)) {
    return nullptr;
  }
  if (object != nullptr) tracer.trace().AddGuard(GuardKind::kIdentity, object->source(), held);
  Ref members = FixedPart(held, "__args__");
  return members ? tracer.ConstantSteal(members.Release()) : nullptr;
}

absl::StatusOr<bool> IsOneOf(Tracer& tracer, Value* value, Value* classes) {
  DYNACC_ASSIGN_OR_RETURN(classes, tracer.Materialize(classes));
  if (IsSequence(classes) && !As<ListValue>(classes)) {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<Value*> items, SequenceItems(tracer, classes));
    for (Value* item : items) {
      DYNACC_ASSIGN_OR_RETURN(const bool found, IsOneOf(tracer, value, item));
      if (found) return true;
    }
    return false;
  }
  if (Value* members = UnionMembers(tracer, classes)) return IsOneOf(tracer, value, members);
  auto* cls = As<ConstantValue>(classes);
  if (cls == nullptr) return GraphBreak("isinstance of such a value or class");
  return IsInstanceOf(tracer, value, cls->object.get());
}

Value* Bool(Tracer& tracer, bool value) { return tracer.Constant(value ? Py_True : Py_False); }

}  // namespace

namespace builtins {

absl::StatusOr<Value*> IsInstance(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(const bool answer, IsOneOf(tracer, call.args[0], call.args[1]));
  return Bool(tracer, answer);
}

absl::StatusOr<Value*> IsSubclass(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  auto* cls = As<ConstantValue>(call.args[0]);
  if (cls == nullptr || !PyType_Check(cls->object.get()))
    return GraphBreak("issubclass of a value");
  const uint32_t version = TypeVersion(reinterpret_cast<PyTypeObject*>(cls->object.get()));
  if (version == 0) return GraphBreak("issubclass of a class that keeps changing");
  tracer.trace().AddGuard(GuardKind::kClassVersion, SourceOfClass(tracer, cls), nullptr, version);
  std::vector<Value*> bases = {call.args[1]};
  if (IsSequence(call.args[1])) {
    DYNACC_ASSIGN_OR_RETURN(bases, SequenceItems(tracer, call.args[1]));
  }
  bool answer = false;
  for (Value* base : bases) {
    DYNACC_ASSIGN_OR_RETURN(base, tracer.Materialize(base));
    auto* constant = As<ConstantValue>(base);
    if (constant == nullptr || Py_TYPE(constant->object.get()) != &PyType_Type) {
      return GraphBreak("issubclass of such a class");
    }
    DYNACC_RETURN_IF_ERROR(GuardMetaclass(tracer, constant->object.get()));
    answer = answer || PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls->object.get()),
                                        reinterpret_cast<PyTypeObject*>(constant->object.get()));
  }
  return Bool(tracer, answer);
}

absl::StatusOr<Value*> Callable(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  if (As<FunctionValue>(call.args[0]) || As<BoundMethodValue>(call.args[0]) ||
      As<ArrayMethodValue>(call.args[0])) {
    return tracer.Constant(Py_True);
  }
  DYNACC_ASSIGN_OR_RETURN(ConstantValue * cls, ClassOf(tracer, call.args[0]));
  if (cls == nullptr) return GraphBreak("callable of such a value");
  return Bool(tracer, reinterpret_cast<PyTypeObject*>(cls->object.get())->tp_call != nullptr);
}

absl::StatusOr<Value*> TypeOfValue(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(ConstantValue * cls, ClassOf(tracer, call.args[0]));
  if (cls == nullptr) return GraphBreak("type of such a value");
  return cls;
}

absl::StatusOr<Value*> MakeSuper(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.size() == 2) {
    DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
    auto* after = As<ConstantValue>(call.args[0]);
    if (after == nullptr) return GraphBreak("super of such a class");
    DYNACC_RETURN_IF_ERROR(ClassOfSuper(tracer, after, call.args[1]).status());
    return tracer.trace().New<SuperValue>(after, call.args[1]);
  }
  DYNACC_RETURN_IF_ERROR(call.Want(0, 0));
  if (tracer.frame().raw_code()->co_argcount == 0) return GraphBreak("super() without arguments");
  DYNACC_ASSIGN_OR_RETURN(ConstantValue * after, ClassCell(tracer));
  Value* self = tracer.Local(0);
  if (auto* cell = As<CellValue>(self)) self = cell->content;
  if (self == nullptr) return GraphBreak("super() without its first argument");
  DYNACC_ASSIGN_OR_RETURN(self, tracer.Materialize(self));
  DYNACC_RETURN_IF_ERROR(ClassOfSuper(tracer, after, self).status());
  return tracer.trace().New<SuperValue>(after, self);
}

// types.MethodType(function, self).
absl::StatusOr<Value*> MakeMethod(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  if (As<FunctionValue>(call.args[0]) == nullptr) return GraphBreak("a method of such a callable");
  if (IsNone(call.args[1])) return RaisingBreak("a method of None");
  return tracer.trace().New<BoundMethodValue>(call.args[1], call.args[0]);
}

absl::StatusOr<Value*> GetAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 3));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  absl::StatusOr<Value*> value = LoadAttribute(tracer, call.args[0], name);
  if (call.args.size() < 3) return value;
  DYNACC_ASSIGN_OR_RETURN(const bool caught, RaisedAttributeError(tracer, value.status()));
  return caught ? call.args[2] : value;
}

absl::StatusOr<Value*> HasAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(
      Value * found,
      GetAttr(tracer, {call.callable, {call.args[0], call.args[1], tracer.Null()}, {}}));
  return Bool(tracer, found != tracer.Null());
}

absl::StatusOr<Value*> SetAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(3, 3));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  DYNACC_RETURN_IF_ERROR(StoreAttribute(tracer, call.args[0], name, call.args[2]));
  return tracer.None();
}

absl::StatusOr<Value*> DelAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  DYNACC_RETURN_IF_ERROR(StoreAttribute(tracer, call.args[0], name, nullptr));
  return tracer.None();
}

absl::StatusOr<Value*> ObjectSetAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(3, 3));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  if (!HasAttributes(call.args[0])) return GraphBreak("a store into such an object");
  DYNACC_RETURN_IF_ERROR(StoreAttributePlainly(tracer, call.args[0], name, call.args[2]));
  return tracer.None();
}

absl::StatusOr<Value*> ObjectDelAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  if (!HasAttributes(call.args[0])) return GraphBreak("a store into such an object");
  DYNACC_RETURN_IF_ERROR(StoreAttributePlainly(tracer, call.args[0], name, nullptr));
  return tracer.None();
}

// What super().__init__() reaches in the end.
absl::StatusOr<Value*> ObjectInit(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  return tracer.None();
}

absl::StatusOr<Value*> ObjectNew(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  auto* cls = As<ConstantValue>(call.args[0]);
  if (cls == nullptr || !PyType_Check(cls->object.get()))
    return GraphBreak("a class that may change");
  DYNACC_ASSIGN_OR_RETURN(InstanceValue * instance, NewInstance(tracer, cls));
  return instance;
}

absl::StatusOr<Value*> TupleNew(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  auto* cls = As<ConstantValue>(call.args[0]);
  if (cls == nullptr || !IsTupleSubclass(cls->object.get())) {
    return GraphBreak("tuple.__new__ of such a class");
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, DrainAsList(tracer, call.args[1]));
  auto* tuple = tracer.trace().New<TupleValue>(std::move(items));
  tuple->cls = cls;
  return tuple;
}

absl::StatusOr<Value*> ExceptionInit(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.empty() || !call.keywords.empty()) return GraphBreak("an exception's __init__");
  auto* exception = As<InstanceValue>(call.args[0]);
  if (exception == nullptr) return GraphBreak("the __init__ of an existing exception");
  exception->args =
      tracer.trace().New<TupleValue>(std::vector<Value*>(call.args.begin() + 1, call.args.end()));
  return tracer.None();
}

absl::StatusOr<Value*> MakeSlice(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 3));
  Value* start = call.args.size() == 1 ? tracer.None() : call.args[0];
  Value* stop = call.args.size() == 1 ? call.args[0] : call.args[1];
  Value* step = call.args.size() == 3 ? call.args[2] : tracer.None();
  return tracer.trace().New<SliceValue>(start, stop, step);
}

}  // namespace builtins
}  // namespace dynacc
