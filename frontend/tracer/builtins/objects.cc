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

namespace dynacc::tracer {
namespace {

absl::StatusOr<BorrowedRef> AttributeName(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr || !PyUnicode_CheckExact(constant->object.get())) {
    return symbolic::GraphBreak("an attribute whose name may change");
  }
  DYNACC_RETURN_IF_ERROR(NameText(constant->object.get()).status());
  return constant->object.get();
}

// The class in whose body the running method was written: its __class__ cell.
absl::StatusOr<symbolic::ConstantValue*> ClassCell(Tracer& tracer) {
  const SymbolicFrame& frame = tracer.frame();
  PyObject* names = frame.raw_code()->co_localsplusnames;
  const PyCodeObject* code = frame.raw_code();
  for (int i = code->co_nlocalsplus - code->co_nfreevars; i < code->co_nlocalsplus; ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "__class__") != 0) continue;
    DYNACC_ASSIGN_OR_RETURN(symbolic::CellValue * cell, tracer.CellAt(i));
    if (cell->content == nullptr) break;
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * cls, tracer.Materialize(cell->content));
    if (auto* constant = symbolic::As<symbolic::ConstantValue>(cls)) return constant;
  }
  return symbolic::GraphBreak("super() outside a method");
}

// The classes of `int | float`, which is immutable; null for what is no such union.
symbolic::Value* UnionMembers(Tracer& tracer, symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  if (constant == nullptr && object == nullptr) return nullptr;
  BorrowedRef held = constant != nullptr ? constant->object.get() : object->object.get();
  if (absl::string_view(Py_TYPE(held)->tp_name) != "types.UnionType" ||
      !PyType_HasFeature(Py_TYPE(held), Py_TPFLAGS_IMMUTABLETYPE)) {
    return nullptr;
  }
  if (object != nullptr)
    tracer.trace().AddGuard(guards::GuardKind::kIdentity, object->source(), held);
  Ref members = FixedPart(held, "__args__");
  return members ? tracer.ConstantSteal(members.Release()) : nullptr;
}

absl::StatusOr<bool> IsOneOf(Tracer& tracer, symbolic::Value* value, symbolic::Value* classes) {
  DYNACC_ASSIGN_OR_RETURN(classes, tracer.Materialize(classes));
  if (IsSequence(classes) && !symbolic::As<symbolic::ListValue>(classes)) {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                            SequenceItems(tracer, classes));
    for (symbolic::Value* item : items) {
      DYNACC_ASSIGN_OR_RETURN(const bool found, IsOneOf(tracer, value, item));
      if (found) return true;
    }
    return false;
  }
  if (symbolic::Value* members = UnionMembers(tracer, classes))
    return IsOneOf(tracer, value, members);
  auto* cls = symbolic::As<symbolic::ConstantValue>(classes);
  if (cls == nullptr) return symbolic::GraphBreak("isinstance of such a value or class");
  return IsInstanceOf(tracer, value, cls->object.get());
}

symbolic::Value* Bool(Tracer& tracer, bool value) {
  return tracer.Constant(value ? Py_True : Py_False);
}

}  // namespace

namespace builtins {

absl::StatusOr<symbolic::Value*> IsInstance(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(const bool answer, IsOneOf(tracer, call.args[0], call.args[1]));
  return Bool(tracer, answer);
}

absl::StatusOr<symbolic::Value*> IsSubclass(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  auto* cls = symbolic::As<symbolic::ConstantValue>(call.args[0]);
  if (cls == nullptr || !PyType_Check(cls->object.get()))
    return symbolic::GraphBreak("issubclass of a value");
  const uint32_t version = TypeVersion(reinterpret_cast<PyTypeObject*>(cls->object.get()));
  if (version == 0) return symbolic::GraphBreak("issubclass of a class that keeps changing");
  tracer.trace().AddGuard(guards::GuardKind::kClassVersion, SourceOfClass(tracer, cls), nullptr,
                          version);
  std::vector<symbolic::Value*> bases = {call.args[1]};
  if (IsSequence(call.args[1]) && !symbolic::As<symbolic::ListValue>(call.args[1])) {
    DYNACC_ASSIGN_OR_RETURN(bases, SequenceItems(tracer, call.args[1]));
  }
  bool answer = false;
  for (symbolic::Value* base : bases) {
    DYNACC_ASSIGN_OR_RETURN(base, tracer.Materialize(base));
    auto* constant = symbolic::As<symbolic::ConstantValue>(base);
    if (constant == nullptr || Py_TYPE(constant->object.get()) != &PyType_Type) {
      return symbolic::GraphBreak("issubclass of such a class");
    }
    DYNACC_RETURN_IF_ERROR(GuardMetaclass(tracer, constant->object.get()));
    answer = answer || PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls->object.get()),
                                        reinterpret_cast<PyTypeObject*>(constant->object.get()));
  }
  return Bool(tracer, answer);
}

absl::StatusOr<symbolic::Value*> Callable(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  if (symbolic::As<symbolic::FunctionValue>(call.args[0]) ||
      symbolic::As<symbolic::BoundMethodValue>(call.args[0]) ||
      symbolic::As<symbolic::ArrayMethodValue>(call.args[0])) {
    return tracer.Constant(Py_True);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, call.args[0]));
  if (cls == nullptr) return symbolic::GraphBreak("callable of such a value");
  return Bool(tracer, reinterpret_cast<PyTypeObject*>(cls->object.get())->tp_call != nullptr);
}

absl::StatusOr<symbolic::Value*> TypeOfValue(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, call.args[0]));
  if (cls == nullptr) return symbolic::GraphBreak("type of such a value");
  return cls;
}

absl::StatusOr<symbolic::Value*> MakeSuper(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.size() == 2) {
    DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
    auto* after = symbolic::As<symbolic::ConstantValue>(call.args[0]);
    if (after == nullptr) return symbolic::GraphBreak("super of such a class");
    DYNACC_RETURN_IF_ERROR(ClassOfSuper(tracer, after, call.args[1]).status());
    return tracer.trace().New<symbolic::SuperValue>(after, call.args[1]);
  }
  DYNACC_RETURN_IF_ERROR(call.Want(0, 0));
  if (tracer.frame().raw_code()->co_argcount == 0)
    return symbolic::GraphBreak("super() without arguments");
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * after, ClassCell(tracer));
  symbolic::Value* self = tracer.Local(0);
  if (auto* cell = symbolic::As<symbolic::CellValue>(self)) self = cell->content;
  if (self == nullptr) return symbolic::GraphBreak("super() without its first argument");
  DYNACC_ASSIGN_OR_RETURN(self, tracer.Materialize(self));
  DYNACC_RETURN_IF_ERROR(ClassOfSuper(tracer, after, self).status());
  return tracer.trace().New<symbolic::SuperValue>(after, self);
}

// types.MethodType(function, self).
absl::StatusOr<symbolic::Value*> MakeMethod(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  if (symbolic::As<symbolic::FunctionValue>(call.args[0]) == nullptr)
    return symbolic::GraphBreak("a method of such a callable");
  if (IsNone(call.args[1])) return symbolic::RaisingBreak("a method of None");
  return tracer.trace().New<symbolic::BoundMethodValue>(call.args[1], call.args[0]);
}

absl::StatusOr<symbolic::Value*> GetAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 3));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  absl::StatusOr<symbolic::Value*> value = LoadAttribute(tracer, call.args[0], name);
  if (call.args.size() < 3) return value;
  DYNACC_ASSIGN_OR_RETURN(const bool caught, RaisedAttributeError(tracer, value.status()));
  return caught ? call.args[2] : value;
}

absl::StatusOr<symbolic::Value*> HasAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(
      symbolic::Value * found,
      GetAttr(tracer, {call.callable, {call.args[0], call.args[1], tracer.Null()}, {}}));
  return Bool(tracer, found != tracer.Null());
}

absl::StatusOr<symbolic::Value*> SetAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(3, 3));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  DYNACC_RETURN_IF_ERROR(StoreAttribute(tracer, call.args[0], name, call.args[2]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DelAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  DYNACC_RETURN_IF_ERROR(StoreAttribute(tracer, call.args[0], name, nullptr));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> ObjectSetAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(3, 3));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  if (!HasAttributes(call.args[0])) return symbolic::GraphBreak("a store into such an object");
  DYNACC_RETURN_IF_ERROR(StoreAttributePlainly(tracer, call.args[0], name, call.args[2]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> ObjectDelAttr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, AttributeName(call.args[1]));
  if (!HasAttributes(call.args[0])) return symbolic::GraphBreak("a store into such an object");
  DYNACC_RETURN_IF_ERROR(StoreAttributePlainly(tracer, call.args[0], name, nullptr));
  return tracer.None();
}

// What super().__init__() reaches in the end.
absl::StatusOr<symbolic::Value*> ObjectInit(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> ObjectNew(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  auto* cls = symbolic::As<symbolic::ConstantValue>(call.args[0]);
  if (cls == nullptr || !PyType_Check(cls->object.get()))
    return symbolic::GraphBreak("a class that may change");
  DYNACC_ASSIGN_OR_RETURN(symbolic::InstanceValue * instance, NewInstance(tracer, cls));
  return instance;
}

absl::StatusOr<symbolic::Value*> TupleNew(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  auto* cls = symbolic::As<symbolic::ConstantValue>(call.args[0]);
  if (cls == nullptr || !IsTupleSubclass(cls->object.get())) {
    return symbolic::GraphBreak("tuple.__new__ of such a class");
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> items, DrainAsList(tracer, call.args[1]));
  const uint32_t version = TypeVersion(reinterpret_cast<PyTypeObject*>(cls->object.get()));
  if (version == 0) return symbolic::GraphBreak("an instance of a type that keeps changing");
  tracer.trace().AddGuard(guards::GuardKind::kClassVersion, SourceOfClass(tracer, cls), nullptr,
                          version);
  auto* tuple = tracer.trace().New<symbolic::TupleValue>(std::move(items));
  tuple->cls = cls;
  return tuple;
}

absl::StatusOr<symbolic::Value*> ExceptionInit(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.empty() || !call.keywords.empty())
    return symbolic::GraphBreak("an exception's __init__");
  auto* exception = symbolic::As<symbolic::InstanceValue>(call.args[0]);
  if (exception == nullptr) return symbolic::GraphBreak("the __init__ of an existing exception");
  exception->args = tracer.trace().New<symbolic::TupleValue>(
      std::vector<symbolic::Value*>(call.args.begin() + 1, call.args.end()));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> MakeSlice(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 3));
  symbolic::Value* start = call.args.size() == 1 ? tracer.None() : call.args[0];
  symbolic::Value* stop = call.args.size() == 1 ? call.args[0] : call.args[1];
  symbolic::Value* step = call.args.size() == 3 ? call.args[2] : tracer.None();
  return tracer.trace().New<symbolic::SliceValue>(start, stop, step);
}

}  // namespace builtins
}  // namespace dynacc::tracer
