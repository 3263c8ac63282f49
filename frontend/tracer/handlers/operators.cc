// Handlers of operators: arithmetic, comparisons, identity, membership.
#include <opcode.h>

#include "absl/strings/str_cat.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

bool IsTensor(Value* value) { return value->kind() == ValueKind::kTensor; }

// list + list, tuple + tuple of values made or known at capture.
template <typename T>
Value* Concatenate(Tracer& tracer, T* a, T* b) {
  std::vector<Value*> items = a->items;
  items.insert(items.end(), b->items.begin(), b->items.end());
  return tracer.trace().New<T>(std::move(items));
}

absl::StatusOr<Value*> SequenceBinary(Tracer& tracer, int nb_op, Value* a, Value* b) {
  if (nb_op == NB_ADD) {
    if (As<TupleValue>(a) && As<TupleValue>(b)) {
      return Concatenate(tracer, As<TupleValue>(a), As<TupleValue>(b));
    }
    if (As<ListValue>(a) && As<ListValue>(b)) {
      return Concatenate(tracer, As<ListValue>(a), As<ListValue>(b));
    }
  }
  return GraphBreak("an operator on objects that are neither arrays nor numbers");
}

bool IsSequenceValue(Value* value) { return As<TupleValue>(value) || As<ListValue>(value); }

// A value that can stand for exactly one object: comparing pointers decides `is`.
bool HasIdentity(Value* value) {
  auto* constant = As<ConstantValue>(value);
  if (constant == nullptr) return false;
  BorrowedRef object = constant->object.get();
  return object == Py_None || PyBool_Check(object) || object == Py_Ellipsis ||
         object == Py_NotImplemented || PyType_Check(object) || PyModule_Check(object);
}

// Whether the value is an object of its own, not one of those that HasIdentity names.
bool IsOrdinaryObject(Value* value) {
  return value->kind() != ValueKind::kConstant && value->kind() != ValueKind::kObject &&
         !(As<NumberValue>(value) && As<NumberValue>(value)->type == ScalarType::kBool);
}

absl::StatusOr<bool> AreSame(Tracer& tracer, Value* a, Value* b) {
  if (a == b) return true;
  DYNACC_ASSIGN_OR_RETURN(a, tracer.Realize(a));
  DYNACC_ASSIGN_OR_RETURN(b, tracer.Realize(b));
  if (a == b) return true;
  if (HasIdentity(a) && HasIdentity(b)) {
    return As<ConstantValue>(a)->object.get() == As<ConstantValue>(b)->object.get();
  }
  if (HasIdentity(a)) std::swap(a, b);
  if (HasIdentity(b)) {
    if (IsOrdinaryObject(a)) return false;
    if (auto* constant = As<ConstantValue>(a)) {
      return constant->object.get() == As<ConstantValue>(b)->object.get();
    }
    // An object about which nothing is known: its type decides.
    auto* object = As<ObjectValue>(a);
    tracer.trace().AddGuard(GuardKind::kTypeIs, object->source(),
                            reinterpret_cast<PyObject*>(Py_TYPE(object->object.get())));
    return false;
  }
  // Values made inside are objects of their own.
  if (a->source() == nullptr && b->source() == nullptr && IsOrdinaryObject(a) &&
      IsOrdinaryObject(b) && !IsNumberValue(a) && !IsNumberValue(b)) {
    return false;
  }
  return GraphBreak("identity of two existing objects");
}

absl::StatusOr<bool> ContainedIn(Tracer& tracer, Value* item, Value* container) {
  DYNACC_ASSIGN_OR_RETURN(container, tracer.RealizeDeep(container));
  DYNACC_ASSIGN_OR_RETURN(item, tracer.Realize(item));
  if (!IsPlainConstantValue(item)) return GraphBreak("membership of a value that may change");
  if (IsPlainConstantValue(container)) {
    const int found = PySequence_Contains(As<ConstantValue>(container)->object.get(),
                                          As<ConstantValue>(item)->object.get());
    if (found >= 0) return found == 1;
    PyErr_Clear();
    return RaisingBreak("a membership test that raises");
  }
  const std::vector<Value*>* items = nullptr;
  if (auto* tuple = As<TupleValue>(container)) items = &tuple->items;
  if (auto* list = As<ListValue>(container)) items = &list->items;
  if (items == nullptr) return GraphBreak("membership in an object");
  for (Value* member : *items) {
    if (!IsPlainConstantValue(member)) return GraphBreak("membership among values that may change");
    const int same = PyObject_RichCompareBool(As<ConstantValue>(member)->object.get(),
                                              As<ConstantValue>(item)->object.get(), Py_EQ);
    if (same == 1) return true;
  }
  return false;
}

}  // namespace

namespace handlers {

absl::Status BinaryOp(Tracer& tracer, const Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(Value * b, tracer.Realize(tracer.Peek(0)));
  DYNACC_ASSIGN_OR_RETURN(Value * a, tracer.Realize(tracer.Peek(1)));
  const bool in_place = instruction.arg >= NB_INPLACE_ADD;
  const int nb_op = instruction.arg % NB_INPLACE_ADD;
  absl::StatusOr<Value*> result;
  if (IsTensor(a) || IsTensor(b)) {
    result = tracer.arrays().Binary(tracer.trace(), nb_op, in_place, a, b);
  } else if (IsNumberValue(a) && IsNumberValue(b)) {
    result = NumberBinary(tracer, nb_op, a, b);
  } else if (IsPlainConstantValue(a) && IsPlainConstantValue(b)) {
    result = NumberBinary(tracer, nb_op, a, b);
  } else if (in_place && As<ListValue>(a)) {
    return GraphBreak("an in-place operator on a list");
  } else if (IsSequenceValue(a) && IsSequenceValue(b)) {
    result = SequenceBinary(tracer, nb_op, a, b);
  } else {
    return GraphBreak("an operator on objects that are neither arrays nor numbers");
  }
  if (!result.ok()) return result.status();
  tracer.Pop();
  tracer.Pop();
  tracer.Push(*result);
  return absl::OkStatus();
}

absl::Status Unary(Tracer& tracer, const Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(Value * a, tracer.Realize(tracer.Pop()));
  absl::StatusOr<Value*> result = GraphBreak("a unary operator on an object");
  if (auto* tensor = As<TensorValue>(a)) {
    result = tracer.arrays().Unary(tracer.trace(), instruction.opcode, tensor);
  } else if (IsNumberValue(a) && instruction.opcode == UNARY_NEGATIVE) {
    result = NumberNegative(tracer, a);
  }
  if (!result.ok()) return result.status();
  tracer.Push(*result);
  return absl::OkStatus();
}

absl::Status UnaryNot(Tracer& tracer, const Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(tracer.Pop()));
  tracer.Push(tracer.Constant(truth ? Py_False : Py_True));
  return absl::OkStatus();
}

absl::Status CompareOp(Tracer& tracer, const Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(Value * b, tracer.Realize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(Value * a, tracer.Realize(tracer.Pop()));
  absl::StatusOr<Value*> result = GraphBreak("a comparison of objects");
  if (IsTensor(a) || IsTensor(b)) {
    result = tracer.arrays().Compare(tracer.trace(), instruction.arg, a, b);
  } else if ((IsNumberValue(a) && IsNumberValue(b)) ||
             (IsPlainConstantValue(a) && IsPlainConstantValue(b))) {
    result = NumberCompare(tracer, instruction.arg, a, b);
  }
  if (!result.ok()) return result.status();
  tracer.Push(*result);
  return absl::OkStatus();
}

absl::Status IsOp(Tracer& tracer, const Instruction& instruction) {
  Value* b = tracer.Pop();
  Value* a = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(const bool same, AreSame(tracer, a, b));
  tracer.Push(tracer.Constant(same != (instruction.arg == 1) ? Py_True : Py_False));
  return absl::OkStatus();
}

absl::Status ContainsOp(Tracer& tracer, const Instruction& instruction) {
  Value* container = tracer.Pop();
  Value* item = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(const bool found, ContainedIn(tracer, item, container));
  tracer.Push(tracer.Constant(found != (instruction.arg == 1) ? Py_True : Py_False));
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc
