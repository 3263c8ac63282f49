#include "frontend/tracer/operators.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/identity_key.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/symbolic/binary_operator.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/call_gradients.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/deques.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/sets.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

constexpr const char* kComparisonNames[] = {"__lt__", "__le__", "__eq__",
                                            "__ne__", "__gt__", "__ge__"};

constexpr absl::string_view kChangedDeque = "a deque that changes while its items are compared";

bool IsTensor(symbolic::Value* value) { return value->kind() == symbolic::ValueKind::kTensor; }

bool IsNotImplemented(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && constant->object.get() == Py_NotImplemented;
}

// The result of method `name` of `self`, or null: it has none, or it is not implemented.
absl::StatusOr<symbolic::Value*> TryMethod(Tracer& tracer, symbolic::Value* self,
                                           const std::string& name,
                                           std::vector<symbolic::Value*> args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, self, name.c_str()));
  if (method == nullptr) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, tracer.CallNow(method, std::move(args)));
  DYNACC_ASSIGN_OR_RETURN(result, tracer.Materialize(result));
  return IsNotImplemented(result) ? nullptr : result;
}

// As SLOT1BINFULL of Objects/typeobject.c: one class's method has spoken for both operands.
absl::StatusOr<bool> HaveOneClass(Tracer& tracer, symbolic::Value* a, symbolic::Value* b) {
  if (!HasAttributes(a) || !HasAttributes(b)) return false;
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * left, ClassOf(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * right, ClassOf(tracer, b));
  return left->object.get() == right->object.get();
}

// A right operand of a subclass goes first; that is left alone.
absl::StatusOr<bool> RightGoesFirst(Tracer& tracer, symbolic::Value* a, symbolic::Value* b) {
  if (!HasAttributes(a) || !HasAttributes(b)) return false;
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * left, ClassOf(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * right, ClassOf(tracer, b));
  BorrowedRef left_type = left->object.get(), right_type = right->object.get();
  return left_type != right_type &&
         PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(right_type),
                          reinterpret_cast<PyTypeObject*>(left_type)) != 0;
}

absl::StatusOr<symbolic::Value*> ObjectBinary(Tracer& tracer, int nb_op, symbolic::Value* a,
                                              symbolic::Value* b) {
  const symbolic::BinaryOperator& row = symbolic::OperatorOf(nb_op);
  DYNACC_ASSIGN_OR_RETURN(const bool right_first, RightGoesFirst(tracer, a, b));
  if (right_first) return symbolic::GraphBreak("an operator whose right operand is of a subclass");
  if (nb_op >= NB_INPLACE_ADD) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                            TryMethod(tracer, a, row.SpecialMethod("i"), {b}));
    if (result != nullptr) return result;
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          TryMethod(tracer, a, row.SpecialMethod(""), {b}));
  if (result != nullptr) return result;
  DYNACC_ASSIGN_OR_RETURN(const bool one_class, HaveOneClass(tracer, a, b));
  if (!one_class) {
    DYNACC_ASSIGN_OR_RETURN(result, TryMethod(tracer, b, row.SpecialMethod("r"), {a}));
  }
  if (result != nullptr) return result;
  return symbolic::GraphBreak("an operator on objects that are neither arrays nor numbers");
}

symbolic::Value* Concatenate(Tracer& tracer, bool as_list, std::vector<symbolic::Value*> items,
                             const std::vector<symbolic::Value*>& more) {
  items.insert(items.end(), more.begin(), more.end());
  if (as_list) return tracer.trace().New<symbolic::ListValue>(std::move(items));
  return tracer.trace().New<symbolic::TupleValue>(std::move(items));
}

bool IsText(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  auto* lazy = symbolic::As<symbolic::LazyValue>(value);
  return (constant != nullptr && PyUnicode_CheckExact(constant->object.get())) ||
         (lazy != nullptr && lazy->type == &PyUnicode_Type);
}

// An operator of str, as its special method does it.
absl::StatusOr<symbolic::Value*> DeferText(Tracer& tracer, const char* name, symbolic::Value* a,
                                           symbolic::Value* b) {
  Ref method =
      Ref::Steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyUnicode_Type), name));
  return Defer(tracer, method.get(), {a, b}, &PyUnicode_Type,
               "string formatting of a changing value");
}

bool IsNumberOrDataDependent(symbolic::Value* value) {
  return IsNumberValue(value) || IsDataDependentNumber(value);
}

// An operator of numbers of which some are known when the segment has run: Python's own runs then.
absl::StatusOr<symbolic::Value*> OperateOnNumbers(Tracer& tracer, const char* name,
                                                  std::vector<symbolic::Value*> numbers) {
  const Ref function = symbolic::OperatorFunction(name);
  if (!function) return symbolic::GraphBreak("an operator on a changing number");
  return CallOnNumbers(tracer, function.get(), std::move(numbers));
}

bool IsFloat(symbolic::Value* value) {
  auto* number = symbolic::As<symbolic::NumberValue>(value);
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return (number != nullptr && number->type == ScalarType::kFloat) ||
         (constant != nullptr && PyFloat_CheckExact(constant->object.get()));
}

// The scalar program has no powers. Those of ints are left alone: they may become sizes.
bool IsChangingFloatPower(symbolic::Value* a, symbolic::Value* b) {
  return (symbolic::As<symbolic::NumberValue>(a) || symbolic::As<symbolic::NumberValue>(b)) &&
         (IsFloat(a) || IsFloat(b));
}

bool IsNativeTensor(symbolic::Value* value) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  return tensor != nullptr && tensor->is_native;
}

// An operand that is made at the segment's end; null: it is for others to say.
absl::StatusOr<symbolic::Value*> LazyOperation(Tracer& tracer, int nb_op, symbolic::Value* a,
                                               symbolic::Value* b) {
  const int plain = nb_op % NB_INPLACE_ADD;
  if (plain == NB_ADD && IsText(a) && IsText(b)) return DeferText(tracer, "__add__", a, b);
  if (IsNumberOrDataDependent(a) && IsNumberOrDataDependent(b)) {
    return OperateOnNumbers(tracer, symbolic::OperatorOf(plain).name, {a, b});
  }
  if (!IsTensor(a) && !IsTensor(b)) return nullptr;
  const bool arithmetic =
      plain == NB_ADD || plain == NB_SUBTRACT || plain == NB_MULTIPLY || plain == NB_TRUE_DIVIDE;
  DYNACC_ASSIGN_OR_RETURN(a, Settled(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(b, Settled(tracer, b));
  symbolic::Value* const left = ScalarBehind(a) ? ScalarBehind(a) : a;
  symbolic::Value* const right = ScalarBehind(b) ? ScalarBehind(b) : b;
  if (!arithmetic || !IsTensor(left) || !IsTensor(right)) return nullptr;
  // To an array a number of Python's is not what NumPy's scalar of its value is.
  const bool is_native = IsNativeTensor(left) || IsNativeTensor(right);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          tracer.arrays().Binary(tracer.trace(), plain, nb_op >= NB_INPLACE_ADD,
                                                 is_native ? left : a, is_native ? right : b));
  return WithOperatorGradient(tracer, symbolic::OperatorOf(plain).name, result, {left, right});
}

// Items of a list or tuple that is made of fewer by `*`.
constexpr size_t kMaxRepeatedItems = 4096;

// list * 3, tuple + tuple, list += anything iterable.
absl::StatusOr<symbolic::Value*> SequenceBinary(Tracer& tracer, int nb_op, symbolic::Value* a,
                                                symbolic::Value* b) {
  const int plain = nb_op % NB_INPLACE_ADD;
  if (auto* list = symbolic::As<symbolic::ListValue>(a); list && nb_op == NB_INPLACE_ADD) {
    DYNACC_RETURN_IF_ERROR(ExtendList(tracer, list, b));
    return list;
  }
  if (symbolic::As<symbolic::ListValue>(a) && nb_op >= NB_INPLACE_ADD)
    return symbolic::GraphBreak("an in-place operator on a list");
  if (plain == NB_ADD && IsSequence(b) &&
      !symbolic::As<symbolic::ListValue>(a) == !symbolic::As<symbolic::ListValue>(b)) {
    DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> items, SequenceItems(tracer, a));
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> more, SequenceItems(tracer, b));
    if (IsPlainTuple(b) && items.empty()) return b;
    if (IsPlainTuple(a) && more.empty()) return a;
    return Concatenate(tracer, symbolic::As<symbolic::ListValue>(a), std::move(items), more);
  }
  if (plain == NB_MULTIPLY && symbolic::As<symbolic::ConstantValue>(b) && IsNumberValue(b)) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t count, tracer.trace().ConstantInt(b));
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items, SequenceItems(tracer, a));
    if (IsPlainTuple(a) && (count == 1 || items.empty())) return a;
    const bool has_any = count > 0 && !items.empty();
    if (has_any && static_cast<size_t>(count) > kMaxRepeatedItems / items.size()) {
      return symbolic::GraphBreak("a long list");
    }
    std::vector<symbolic::Value*> result;
    for (int64_t i = 0; has_any && i < count; ++i) {
      result.insert(result.end(), items.begin(), items.end());
    }
    return Concatenate(tracer, symbolic::As<symbolic::ListValue>(a), std::move(result), {});
  }
  return symbolic::GraphBreak("an operator on objects that are neither arrays nor numbers");
}

// dict | dict, dict |= dict.
absl::StatusOr<symbolic::Value*> MergeDicts(Tracer& tracer, bool in_place, symbolic::DictValue* a,
                                            symbolic::DictValue* b) {
  auto* merged = in_place ? a : tracer.trace().New<symbolic::DictValue>();
  for (symbolic::DictValue* from : {a, b}) {
    if (from == merged) continue;
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, from));
    const auto entries = from->items;
    for (const auto& [key, item] : entries) {
      DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, merged, key.get(), item));
    }
  }
  return merged;
}

// A class whose metaclass is type.
bool IsPlainClass(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && PyType_CheckExact(constant->object.get());
}

// int | float.
absl::StatusOr<symbolic::Value*> UnionOfClasses(Tracer& tracer, symbolic::Value* a,
                                                symbolic::Value* b) {
  return tracer.ConstantSteal(PyNumber_Or(symbolic::As<symbolic::ConstantValue>(a)->object.get(),
                                          symbolic::As<symbolic::ConstantValue>(b)->object.get()));
}

// A class that is perhaps not equal to itself alone.
bool ComparesByMetaclass(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && PyType_Check(constant->object.get()) &&
         Py_TYPE(constant->object.get())->tp_richcompare != PyBaseObject_Type.tp_richcompare;
}

// A value that can stand for exactly one object: comparing pointers decides `is`.
bool HasIdentity(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr) return false;
  BorrowedRef object = constant->object.get();
  return object == Py_None || PyBool_Check(object) || object == Py_Ellipsis ||
         object == Py_NotImplemented || PyType_Check(object) || PyModule_Check(object) ||
         // A program can make no second one, as of dynacc's dtypes.
         (Py_TYPE(object)->tp_flags & Py_TPFLAGS_DISALLOW_INSTANTIATION) != 0;
}

// Whether the value, compared with a class, None or the like, is equal to it only if it is the same
// object. A dtype, say, is equal to classes.
bool EqualsByIdentity(symbolic::Value* value) {
  if (IsPlainConstantValue(value) || symbolic::As<symbolic::ListValue>(value) ||
      symbolic::As<symbolic::DictValue>(value))
    return true;
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr &&
         Py_TYPE(constant->object.get())->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}

BorrowedRef RealObject(Tracer& tracer, symbolic::Value* value) {
  if (auto* object = symbolic::As<symbolic::ObjectValue>(value)) return object->object.get();
  return value->source() == nullptr ? nullptr
                                    : sources::ResolveSource(*value->source(), tracer.root().roots);
}

// Of two existing objects: required at every call to be one, or two, as they are now.
absl::StatusOr<bool> SameExisting(Tracer& tracer, symbolic::Value* a, symbolic::Value* b) {
  BorrowedRef left = RealObject(tracer, a), right = RealObject(tracer, b);
  if (left == nullptr || right == nullptr) return symbolic::GraphBreak("identity of such objects");
  tracer.trace().RequireIdentity(a->source(), b->source(), left == right);
  return left == right;
}

// CPython has one empty tuple.
bool IsEmptyTuple(symbolic::Value* value) {
  auto* tuple = symbolic::As<symbolic::TupleValue>(value);
  return tuple != nullptr && tuple->cls == nullptr && tuple->items.empty();
}

// Whether the value is `object`, one of those that HasIdentity names.
absl::StatusOr<bool> IsTheOne(Tracer& tracer, symbolic::Value* value, BorrowedRef object) {
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value))
    return constant->object.get() == object;
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) {
    if (number->type != ScalarType::kBool || !PyBool_Check(object)) return false;
    DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(number));
    return truth == (object == Py_True);
  }
  if (auto* lazy = symbolic::As<symbolic::LazyValue>(value)) {
    // Which of the bools it is, only the call that makes it tells.
    if (lazy->type == Py_TYPE(object)) return symbolic::GraphBreak("identity of what a call gives");
    return false;
  }
  if (auto* existing = symbolic::As<symbolic::ObjectValue>(value)) {
    // An object about which nothing is known: its type decides.
    tracer.trace().AddGuard(guards::GuardKind::kTypeIs, existing->source(),
                            reinterpret_cast<PyObject*>(Py_TYPE(existing->object.get())));
  }
  return false;
}

// An int of which CPython has one object (_PY_NSMALLNEGINTS and _PY_NSMALLPOSINTS of its headers).
bool IsSmallInt(symbolic::Value* value) {
  constexpr long kLeast = -5, kMost = 256;
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr || !PyLong_CheckExact(constant->object.get())) return false;
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(constant->object.get(), &overflow);
  return overflow == 0 && number >= kLeast && number <= kMost;
}

absl::StatusOr<symbolic::Value*> SequenceCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                                 symbolic::Value* b);

absl::StatusOr<symbolic::Value*> ObjectCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                               symbolic::Value* b) {
  constexpr int kReflected[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
  DYNACC_ASSIGN_OR_RETURN(const bool right_first, RightGoesFirst(tracer, a, b));
  if (right_first) return symbolic::GraphBreak("a comparison whose right operand is of a subclass");
  // object's own __eq__ and __ne__ are found as slot wrappers: those mean identity.
  for (auto [self, other, op] : {std::tuple{a, b, compare_op}, {b, a, kReflected[compare_op]}}) {
    absl::StatusOr<symbolic::Value*> result =
        TryMethod(tracer, self, kComparisonNames[op], {other});
    if (absl::IsUnimplemented(result.status()) && (op == Py_EQ || op == Py_NE)) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, self));
      auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
      if (type->tp_richcompare != PyBaseObject_Type.tp_richcompare) return result;
      continue;
    }
    if (!result.ok() || *result != nullptr) return result;
  }
  if (compare_op != Py_EQ && compare_op != Py_NE)
    return symbolic::GraphBreak("a comparison of objects");
  DYNACC_ASSIGN_OR_RETURN(const symbolic::DictValue* left, EntriesOf(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(const symbolic::DictValue* right, EntriesOf(tracer, b));
  if (left != nullptr && right != nullptr) return symbolic::GraphBreak("a comparison of objects");
  DYNACC_ASSIGN_OR_RETURN(const bool same, SameObject(tracer, a, b));
  return tracer.Constant(same == (compare_op == Py_EQ) ? Py_True : Py_False);
}

// Whether it is a constant of which the array library has one object alone, as a dtype.
bool IsSingleton(Tracer& tracer, symbolic::Value* value) {
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && tracer.arrays().IsSingleton(constant->object.get());
}

enum class Nan : uint8_t { kNo, kYes, kNow };  // kNow: a number that is one in this call

Nan MayBeNan(symbolic::Value* value) {
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) {
    return IsPlainConstantValue(value) && HasNan(constant->object.get()) ? Nan::kNow : Nan::kNo;
  }
  auto* number = symbolic::As<symbolic::NumberValue>(value);
  if (number == nullptr || number->type != ScalarType::kFloat) return Nan::kNo;
  return std::isnan(number->hint.f) ? Nan::kNow : Nan::kYes;
}

// Two items that are not equal are two objects, unless they are one NaN: that must not be.
absl::Status RequireNotOneNan(Tracer& tracer, symbolic::Value* a, symbolic::Value* b) {
  const Nan left = MayBeNan(a), right = MayBeNan(b);
  if (left == Nan::kNo || right == Nan::kNo) return absl::OkStatus();
  if (left == Nan::kNow && right == Nan::kNow) return symbolic::GraphBreak("the identity of a NaN");
  auto* number = symbolic::As<symbolic::NumberValue>(left == Nan::kYes ? a : b);
  ScalarProgram& scalars = tracer.trace().graph().scalars();
  tracer.trace().RequireTrue(scalars.Apply(ScalarOp::kEq, number->id, number->id));
  return absl::OkStatus();
}

// As containers compare their items: one object is equal to itself.
absl::StatusOr<bool> EqualItems(Tracer& tracer, symbolic::Value* a, symbolic::Value* b) {
  if (a == b && !IsTensor(a)) return true;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * equal, CompareValues(tracer, Py_EQ, a, b));
  DYNACC_ASSIGN_OR_RETURN(const bool same, tracer.Truth(equal));
  if (!same) DYNACC_RETURN_IF_ERROR(RequireNotOneNan(tracer, a, b));
  return same;
}

// Item by item; only == and != of values whose items the tracer can compare.
absl::StatusOr<symbolic::Value*> SequenceCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                                 symbolic::Value* b) {
  if (!symbolic::As<symbolic::ListValue>(a) != !symbolic::As<symbolic::ListValue>(b))
    return symbolic::GraphBreak("a comparison of objects");
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> left, SequenceItems(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> right, SequenceItems(tracer, b));
  const size_t shorter = std::min(left.size(), right.size());
  const bool equality = compare_op == Py_EQ || compare_op == Py_NE;
  if (equality && left.size() != right.size()) {
    return tracer.Constant(compare_op == Py_NE ? Py_True : Py_False);
  }
  for (size_t i = 0; i < shorter; ++i) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * x, tracer.Materialize(left[i]));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * y, tracer.Materialize(right[i]));
    DYNACC_ASSIGN_OR_RETURN(const bool same, EqualItems(tracer, x, y));
    DYNACC_RETURN_IF_ERROR(RequireItems(a, left));
    DYNACC_RETURN_IF_ERROR(RequireItems(b, right));
    if (same) continue;
    if (equality) return tracer.Constant(compare_op == Py_NE ? Py_True : Py_False);
    return CompareValues(tracer, compare_op, x, y);
  }
  symbolic::Value* left_size = tracer.ConstantSteal(PyLong_FromSize_t(left.size()));
  symbolic::Value* right_size = tracer.ConstantSteal(PyLong_FromSize_t(right.size()));
  return CompareValues(tracer, compare_op, left_size, right_size);
}

absl::StatusOr<symbolic::Value*> DequeCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                              symbolic::Value* b) {
  auto* const left = symbolic::As<symbolic::DequeValue>(a);
  auto* const right = symbolic::As<symbolic::DequeValue>(b);
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, left));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, right));
  const int changes = left->changes + right->changes;
  DYNACC_ASSIGN_OR_RETURN(
      symbolic::Value * result,
      SequenceCompare(tracer, compare_op, tracer.trace().New<symbolic::TupleValue>(left->items),
                      tracer.trace().New<symbolic::TupleValue>(right->items)));
  if (left->changes + right->changes != changes) return symbolic::RaisingBreak(kChangedDeque);
  return result;
}

// As dict_equal of Objects/dictobject.c: the entries of the first in their order.
absl::StatusOr<bool> EqualDicts(Tracer& tracer, symbolic::DictValue* a, symbolic::DictValue* b) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, a));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, b));
  if (a->items.size() != b->items.size()) return false;
  const auto entries = a->items;
  const int changes = a->key_changes + b->key_changes;
  for (const auto& [key, item] : entries) {
    if (a->key_changes + b->key_changes != changes)
      return symbolic::GraphBreak("a dict that changes while it is compared");
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * other, DictItem(tracer, b, key.get()));
    if (other == nullptr) return false;
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * x, tracer.Materialize(item));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * y, tracer.Materialize(other));
    DYNACC_ASSIGN_OR_RETURN(const bool equal, EqualItems(tracer, x, y));
    if (!equal) return false;
  }
  return true;
}

absl::StatusOr<bool> InItems(Tracer& tracer, symbolic::Value* item,
                             const std::vector<symbolic::Value*>& items) {
  for (symbolic::Value* member : items) {
    DYNACC_ASSIGN_OR_RETURN(member, tracer.Materialize(member));
    if (IsTensor(member) || IsTensor(item)) return symbolic::GraphBreak("membership of an array");
    DYNACC_ASSIGN_OR_RETURN(const bool same, EqualItems(tracer, member, item));
    if (same) return true;
  }
  return false;
}

absl::StatusOr<bool> InConstant(Tracer& tracer, symbolic::Value* item,
                                symbolic::ConstantValue* container) {
  if (PyTuple_CheckExact(container->object.get()) && !IsPlainConstantValue(item)) {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                            SequenceItems(tracer, container));
    return InItems(tracer, item, items);
  }
  if (!IsPlainConstantValue(item))
    return symbolic::GraphBreak("membership of a value that may change");
  if (HasNan(symbolic::As<symbolic::ConstantValue>(item)->object.get()))
    return symbolic::GraphBreak("the identity of a NaN");
  const int found = PySequence_Contains(container->object.get(),
                                        symbolic::As<symbolic::ConstantValue>(item)->object.get());
  if (found < 0) return tracer.RaiseCurrent("a membership test that raises");
  return found == 1;
}

bool IsConstantContainer(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr &&
         (IsPlainConstantValue(value) || PyRange_Check(constant->object.get()) ||
          PyFrozenSet_CheckExact(constant->object.get()));
}

// What NumPy asks an operand's class for before it takes the operand for a number.
constexpr const char* kArrayMethods[] = {"__array_ufunc__", "__array_priority__", "__array__",
                                         "__array_interface__", "__array_struct__"};

// An operator on an array and `other`, an object. One decides before or after the array how they go
// together: an instance of a subclass of tuple at the left by an operator of its own. Null: to the
// array it is a tuple.
absl::StatusOr<symbolic::Value*> TupleBesideArray(Tracer& tracer, int nb_op, symbolic::Value* a,
                                                  symbolic::Value* b, symbolic::Value* other) {
  constexpr absl::string_view kReason = "an operator on an array and an object";
  if (symbolic::As<symbolic::TupleValue>(other) == nullptr) return symbolic::GraphBreak(kReason);
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, other));
  const auto is_own = [&](const char* prefix) {
    const std::string method = symbolic::OperatorOf(nb_op).SpecialMethod(prefix);
    const Ref name = Ref::Steal(PyUnicode_InternFromString(method.c_str()));
    return TypeLookup(reinterpret_cast<PyTypeObject*>(cls->object.get()), name.get()) !=
           TypeLookup(&PyTuple_Type, name.get());
  };
  if (other == a && is_own("")) return ObjectBinary(tracer, nb_op, a, b);
  if (is_own("") || is_own("r") || is_own("i")) return symbolic::GraphBreak(kReason);
  return nullptr;
}

// Members of enumerations as what they are to the operator.
absl::Status OperandsOf(Tracer& tracer, const symbolic::BinaryOperator& row, symbolic::Value** a,
                        symbolic::Value** b) {
  if (symbolic::As<symbolic::ObjectValue>(*a) == nullptr &&
      symbolic::As<symbolic::ObjectValue>(*b) == nullptr)
    return absl::OkStatus();
  std::vector<std::string> methods(std::begin(kArrayMethods), std::end(kArrayMethods));
  for (const char* prefix : {"", "r", "i"}) methods.push_back(row.SpecialMethod(prefix));
  for (symbolic::Value** operand : {a, b}) {
    DYNACC_ASSIGN_OR_RETURN(*operand, AsOperand(tracer, *operand, methods));
  }
  return absl::OkStatus();
}

absl::Status ComparedOperands(Tracer& tracer, symbolic::Value** a, symbolic::Value** b) {
  if (symbolic::As<symbolic::ObjectValue>(*a) == nullptr &&
      symbolic::As<symbolic::ObjectValue>(*b) == nullptr)
    return absl::OkStatus();
  std::vector<std::string> methods(std::begin(kArrayMethods), std::end(kArrayMethods));
  methods.insert(methods.end(), std::begin(kComparisonNames), std::end(kComparisonNames));
  for (symbolic::Value** operand : {a, b}) {
    DYNACC_ASSIGN_OR_RETURN(*operand, AsOperand(tracer, *operand, methods));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<symbolic::Value*> AsOperand(Tracer& tracer, symbolic::Value* value,
                                           absl::Span<const std::string> methods) {
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  if (object == nullptr) return value;
  BorrowedRef member = object->object.get();
  Ref plain = PlainFormOfMember(member);
  if (!plain) return value;
  for (const std::string& method : methods) {
    const Ref name = Ref::Steal(PyUnicode_InternFromString(method.c_str()));
    if (TypeLookup(Py_TYPE(member), name.get()) != TypeLookup(Py_TYPE(plain.get()), name.get())) {
      return value;
    }
  }
  DYNACC_RETURN_IF_ERROR(AsAttributed(tracer, value).status());
  tracer.trace().AddGuard(guards::GuardKind::kIdentity, object->source(), member);
  return tracer.trace().New<symbolic::ConstantValue>(std::move(plain));
}

absl::StatusOr<symbolic::Value*> BinaryOperation(Tracer& tracer, int nb_op, symbolic::Value* a,
                                                 symbolic::Value* b) {
  DYNACC_ASSIGN_OR_RETURN(a, tracer.Materialize(a));
  DYNACC_ASSIGN_OR_RETURN(b, tracer.Materialize(b));
  const int plain = nb_op % NB_INPLACE_ADD;
  DYNACC_RETURN_IF_ERROR(OperandsOf(tracer, symbolic::OperatorOf(plain), &a, &b));
  if (symbolic::As<symbolic::LazyValue>(a) || symbolic::As<symbolic::LazyValue>(b)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, LazyOperation(tracer, nb_op, a, b));
    if (result != nullptr) return result;
  }
  if (IsTensor(a) || IsTensor(b) || symbolic::As<symbolic::SelectionValue>(a) ||
      symbolic::As<symbolic::SelectionValue>(b)) {
    symbolic::Value* other = IsTensor(a) || symbolic::As<symbolic::SelectionValue>(a) ? b : a;
    if (HasAttributes(other)) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                              TupleBesideArray(tracer, nb_op, a, b, other));
      if (result != nullptr) return result;
    }
    DYNACC_ASSIGN_OR_RETURN(a, tracer.MaterializeDeep(a));
    DYNACC_ASSIGN_OR_RETURN(b, tracer.MaterializeDeep(b));
    DYNACC_ASSIGN_OR_RETURN(
        symbolic::Value * result,
        tracer.arrays().Binary(tracer.trace(), plain, nb_op >= NB_INPLACE_ADD, a, b));
    return WithOperatorGradient(tracer, symbolic::OperatorOf(plain).name, result, {a, b});
  }
  if (IsNumberValue(a) && IsNumberValue(b)) {
    if (plain == NB_POWER && IsChangingFloatPower(a, b)) {
      return OperateOnNumbers(tracer, "pow", {a, b});
    }
    return NumberBinary(tracer, plain, a, b);
  }
  if (IsSequence(a) && !HasAttributes(a) && !HasAttributes(b) &&
      !(IsPlainConstantValue(a) && IsPlainConstantValue(b))) {
    return SequenceBinary(tracer, nb_op, a, b);
  }
  if (IsSequence(b) && !HasAttributes(b) && plain == NB_MULTIPLY && IsNumberValue(a) &&
      !IsPlainConstantValue(b)) {
    return SequenceBinary(tracer, plain, b, a);
  }
  if (IsPlainConstantValue(a) && IsPlainConstantValue(b)) return NumberBinary(tracer, plain, a, b);
  if (plain == NB_OR && symbolic::As<symbolic::DictValue>(a) &&
      symbolic::As<symbolic::DictValue>(b)) {
    return MergeDicts(tracer, nb_op >= NB_INPLACE_ADD, symbolic::As<symbolic::DictValue>(a),
                      symbolic::As<symbolic::DictValue>(b));
  }
  if (IsAnySet(a) && IsAnySet(b)) return SetBinary(tracer, nb_op, a, b);
  if (plain == NB_REMAINDER && IsText(a)) return DeferText(tracer, "__mod__", a, b);
  if (plain == NB_OR && IsPlainClass(a) && IsPlainClass(b)) return UnionOfClasses(tracer, a, b);
  return ObjectBinary(tracer, nb_op, a, b);
}

absl::StatusOr<symbolic::Value*> UnaryOperation(Tracer& tracer, int opcode, symbolic::Value* a) {
  DYNACC_ASSIGN_OR_RETURN(a, tracer.Materialize(a));
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(a)) {
    return tracer.arrays().Unary(tracer.trace(), opcode, tensor);
  }
  if (auto* selection = symbolic::As<symbolic::SelectionValue>(a)) {
    return tracer.arrays().UnaryOfSelection(tracer.trace(), opcode, selection);
  }
  const char* name = opcode == UNARY_NEGATIVE   ? "__neg__"
                     : opcode == UNARY_POSITIVE ? "__pos__"
                                                : "__invert__";
  DYNACC_ASSIGN_OR_RETURN(a, AsOperand(tracer, a, {name}));
  if (IsNumberValue(a)) return NumberUnary(tracer, opcode, a);
  if (IsDataDependentNumber(a)) {
    return OperateOnNumbers(tracer,
                            opcode == UNARY_NEGATIVE   ? "neg"
                            : opcode == UNARY_POSITIVE ? "pos"
                                                       : "invert",
                            {a});
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, a, name));
  if (method == nullptr) return symbolic::GraphBreak("a unary operator on an object");
  return tracer.CallNow(method, {});
}

namespace {

// Whether both are Python's numbers of one type, one of which only the run tells, where a branch on
// what their comparison gives is part of the graph. Scalars of these types compare as they do.
bool AreLateNumbers(Tracer& tracer, symbolic::Value* a, symbolic::Value* b) {
  if (!tracer.root().inlines_compiled || tracer.root().branches != nullptr) return false;
  if (ScalarBehind(a) == nullptr && ScalarBehind(b) == nullptr) return false;
  PyTypeObject* const type = NumberTypeOf(a);
  return type != nullptr && type == NumberTypeOf(b) && ScalarFor(tracer, a) != nullptr &&
         ScalarFor(tracer, b) != nullptr;
}

}  // namespace

absl::StatusOr<symbolic::Value*> CompareValues(Tracer& tracer, int compare_op, symbolic::Value* a,
                                               symbolic::Value* b) {
  DYNACC_ASSIGN_OR_RETURN(a, tracer.Materialize(a));
  DYNACC_ASSIGN_OR_RETURN(b, tracer.Materialize(b));
  DYNACC_RETURN_IF_ERROR(ComparedOperands(tracer, &a, &b));
  for (symbolic::Value** operand : {&a, &b}) {
    // A branch on a float or int made of an element is decided as one on the element is.
    if (tracer.root().branches == nullptr) break;
    if (symbolic::TensorValue* const scalar = ScalarBehind(*operand)) *operand = scalar;
  }
  if (AreLateNumbers(tracer, a, b)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                            tracer.arrays().Compare(tracer.trace(), compare_op,
                                                    ScalarFor(tracer, a), ScalarFor(tracer, b)));
    return NumberFor(tracer, result, &PyBool_Type);
  }
  if (IsTensor(a) || IsTensor(b)) {
    symbolic::Value* other = IsTensor(a) ? b : a;
    if (HasAttributes(other)) return symbolic::GraphBreak("a comparison of an array and an object");
    DYNACC_ASSIGN_OR_RETURN(a, tracer.MaterializeDeep(a));
    DYNACC_ASSIGN_OR_RETURN(b, tracer.MaterializeDeep(b));
    return tracer.arrays().Compare(tracer.trace(), compare_op, a, b);
  }
  if ((IsNumberValue(a) && IsNumberValue(b)) ||
      (IsPlainConstantValue(a) && IsPlainConstantValue(b))) {
    return NumberCompare(tracer, compare_op, a, b);
  }
  if (IsSequence(a) && IsSequence(b)) return SequenceCompare(tracer, compare_op, a, b);
  const bool equality = compare_op == Py_EQ || compare_op == Py_NE;
  if (equality && (IsSingleton(tracer, a) || IsSingleton(tracer, b))) {
    const Ref equal = tracer.arrays().EqualToSingleton(tracer.trace(), a, b);
    if (!equal) return symbolic::GraphBreak("a comparison of objects");
    return tracer.Constant((equal.get() == Py_True) == (compare_op == Py_EQ) ? Py_True : Py_False);
  }
  if (equality && symbolic::As<symbolic::DictValue>(a) && symbolic::As<symbolic::DictValue>(b)) {
    DYNACC_ASSIGN_OR_RETURN(const bool equal,
                            EqualDicts(tracer, symbolic::As<symbolic::DictValue>(a),
                                       symbolic::As<symbolic::DictValue>(b)));
    return tracer.Constant(equal == (compare_op == Py_EQ) ? Py_True : Py_False);
  }
  if (symbolic::As<symbolic::DequeValue>(a) && symbolic::As<symbolic::DequeValue>(b))
    return DequeCompare(tracer, compare_op, a, b);
  if (IsAnySet(a) && IsAnySet(b)) return SetCompare(tracer, compare_op, a, b);
  if (HasAttributes(a) || HasAttributes(b)) return ObjectCompare(tracer, compare_op, a, b);
  if (ComparesByMetaclass(a) || ComparesByMetaclass(b))
    return symbolic::GraphBreak("a comparison of objects");
  if ((compare_op == Py_EQ || compare_op == Py_NE) &&
      ((HasIdentity(a) && EqualsByIdentity(b)) || (HasIdentity(b) && EqualsByIdentity(a)))) {
    DYNACC_ASSIGN_OR_RETURN(const bool same, SameObject(tracer, a, b));
    return tracer.Constant(same == (compare_op == Py_EQ) ? Py_True : Py_False);
  }
  return symbolic::GraphBreak("a comparison of objects");
}

namespace {

// The type of a number, a text or what a call makes; null: of anything else.
PyTypeObject* TypeOfConstant(symbolic::Value* value) {
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) {
    return Py_TYPE(constant->object.get());
  }
  if (auto* lazy = symbolic::As<symbolic::LazyValue>(value)) return lazy->type;
  auto* const number = symbolic::As<symbolic::NumberValue>(value);
  if (number == nullptr) return nullptr;
  return number->type == ScalarType::kInt     ? &PyLong_Type
         : number->type == ScalarType::kFloat ? &PyFloat_Type
                                              : &PyBool_Type;
}

// Whether `existing` is an object of another type than the number or text, as missing = object();
// its type is required at every call.
bool IsOfAnotherType(Tracer& tracer, symbolic::Value* existing, symbolic::Value* constant) {
  auto* const object = symbolic::As<symbolic::ObjectValue>(existing);
  PyTypeObject* const type = TypeOfConstant(constant);
  if (object == nullptr || object->source() == nullptr || type == nullptr) return false;
  PyTypeObject* const own = Py_TYPE(object->object.get());
  if (own == type) return false;
  tracer.trace().AddGuard(guards::GuardKind::kTypeIs, object->source(),
                          reinterpret_cast<PyObject*>(own));
  return true;
}

}  // namespace

absl::StatusOr<bool> SameObject(Tracer& tracer, symbolic::Value* a, symbolic::Value* b) {
  if (a == b) return true;
  DYNACC_ASSIGN_OR_RETURN(a, tracer.Materialize(a));
  DYNACC_ASSIGN_OR_RETURN(b, tracer.Materialize(b));
  if (a == b) return true;
  if (HasIdentity(a)) std::swap(a, b);
  if (HasIdentity(b))
    return IsTheOne(tracer, a, symbolic::As<symbolic::ConstantValue>(b)->object.get());
  if (IsSmallInt(a)) std::swap(a, b);
  if (symbolic::As<symbolic::NumberValue>(a) &&
      symbolic::As<symbolic::NumberValue>(a)->type == ScalarType::kInt && IsSmallInt(b)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * equal, NumberCompare(tracer, Py_EQ, a, b));
    return tracer.Truth(equal);
  }
  if (IsOfAnotherType(tracer, a, b) || IsOfAnotherType(tracer, b, a)) return false;
  if (IsSingleton(tracer, a) && IsSingleton(tracer, b)) {
    return symbolic::As<symbolic::ConstantValue>(a)->object.get() ==
           symbolic::As<symbolic::ConstantValue>(b)->object.get();
  }
  for (symbolic::Value* value : {a, b}) {
    if (IsNumberValue(value) || symbolic::As<symbolic::ConstantValue>(value) ||
        symbolic::As<symbolic::LazyValue>(value)) {
      return symbolic::GraphBreak("identity of numbers or texts");
    }
  }
  if (IsEmptyTuple(a) && IsEmptyTuple(b)) return true;
  if (a->source() != nullptr && b->source() != nullptr) return SameExisting(tracer, a, b);
  // NumPy has one object for each of its two truth values.
  if (symbolic::IsBoolScalar(a) || symbolic::IsBoolScalar(b))
    return symbolic::GraphBreak("identity of truth values of arrays");
  if (tracer.trace().IsPerhapsShared(a) || tracer.trace().IsPerhapsShared(b))
    return symbolic::GraphBreak("identity of what a branch gives");
  // What is made inside is neither what exists nor anything else that is made inside.
  return false;
}

absl::StatusOr<bool> ContainedIn(Tracer& tracer, symbolic::Value* item,
                                 symbolic::Value* container) {
  DYNACC_ASSIGN_OR_RETURN(container, tracer.Materialize(container));
  DYNACC_ASSIGN_OR_RETURN(item, tracer.Materialize(item));
  if (IsConstantContainer(container))
    return InConstant(tracer, item, symbolic::As<symbolic::ConstantValue>(container));
  if (IsSequence(container)) {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                            SequenceItems(tracer, container));
    DYNACC_ASSIGN_OR_RETURN(const bool found, InItems(tracer, item, items));
    DYNACC_RETURN_IF_ERROR(RequireItems(container, items));
    return found;
  }
  if (auto* view = symbolic::As<symbolic::DictViewValue>(container);
      view && view->part == symbolic::DictViewValue::Part::kKeys) {
    container = view->dict;
  }
  if (auto* dict = symbolic::As<symbolic::DictValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, item));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * found, DictItem(tracer, dict, key));
    return found != nullptr;
  }
  if (auto* deque = symbolic::As<symbolic::DequeValue>(container)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
    const std::vector<symbolic::Value*> items = deque->items;
    const int changes = deque->changes;
    DYNACC_ASSIGN_OR_RETURN(const bool found, InItems(tracer, item, items));
    if (deque->changes != changes || deque->items != items)
      return symbolic::RaisingBreak(kChangedDeque);
    return found;
  }
  if (auto* set = symbolic::As<symbolic::SetValue>(container)) return SetHas(tracer, set, item);
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries,
                          EntriesBy(tracer, container, "__contains__"));
  if (entries != nullptr) return ContainedIn(tracer, item, entries);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method,
                          SpecialMethod(tracer, container, "__contains__"));
  if (method == nullptr) return symbolic::GraphBreak("membership in an object");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * answer, tracer.CallNow(method, {item}));
  return tracer.Truth(answer);
}

}  // namespace dynacc::tracer
