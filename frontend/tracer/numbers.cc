#include "frontend/tracer/numbers.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/int_layout.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/symbolic/binary_operator.h"
#include "frontend/tracer/attributed.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

bool IsPlainObject(BorrowedRef object) {
  if (PyTuple_CheckExact(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      if (!IsPlainObject(PyTuple_GET_ITEM(object, i))) return false;
    }
    return true;
  }
  return object == Py_None || PyLong_CheckExact(object) || PyBool_Check(object) ||
         PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) ||
         PyComplex_CheckExact(object);
}

// Items of a tuple that is made at capture.
constexpr long kMaxRepeated = 64;

// Whether `count` times the items of a sequence is more than a few.
bool IsLongRepeat(BorrowedRef sequence, BorrowedRef count) {
  if (!PyTuple_CheckExact(sequence)) return PyObject_HasAttrString(sequence, "__len__") != 0;
  int overflow = 0;
  const long times = PyLong_CheckExact(count) ? PyLong_AsLongAndOverflow(count, &overflow) : 0;
  return overflow != 0 || (times > 0 && times > kMaxRepeated / (PyTuple_GET_SIZE(sequence) + 1));
}

// Operators whose result on small constants can be huge.
bool MayExplode(int nb_op, BorrowedRef a, BorrowedRef b) {
  if (nb_op == NB_POWER || nb_op == NB_LSHIFT) {
    if (!PyLong_CheckExact(b) || !PyLong_CheckExact(a)) return nb_op == NB_LSHIFT;
    int overflow = 0;
    const long exponent = PyLong_AsLongAndOverflow(b, &overflow);
    return overflow != 0 || exponent > 64;
  }
  return nb_op == NB_MULTIPLY && (IsLongRepeat(a, b) || IsLongRepeat(b, a));
}

absl::StatusOr<symbolic::Value*> FoldBinary(Tracer& tracer, int nb_op, BorrowedRef a,
                                            BorrowedRef b) {
  if (MayExplode(nb_op, a, b))
    return symbolic::GraphBreak("a constant expression with a large result");
  if (nb_op == NB_REMAINDER && !PyLong_Check(a) && HasLimitedDigits(b))
    return symbolic::GraphBreak("the text of an int of many digits");
  Ref result = Ref::Steal(symbolic::OperatorOf(nb_op).apply(a, b));
  if (!result) return tracer.RaiseCurrent("an operator that raises");
  if (PyUnicode_Check(result.get()) && PyUnicode_GET_LENGTH(result.get()) > kMaxFoldedSize) {
    return symbolic::GraphBreak("a constant expression with a large result");
  }
  return tracer.ConstantSteal(result.Release());
}

Ref HintObject(const symbolic::NumberValue& number) {
  switch (number.type) {
    case ScalarType::kFloat:
      return Ref::Steal(PyFloat_FromDouble(number.hint.f));
    case ScalarType::kBool:
      return Ref::Steal(PyBool_FromLong(number.hint.i));
    case ScalarType::kInt:
      break;
  }
  return Ref::Steal(PyLong_FromLongLong(number.hint.i));
}

// `object` (an exact int, float or bool) as a number of the scalar program's types.
bool ReadNumber(BorrowedRef object, ScalarType* type, ScalarValue* value) {
  if (PyFloat_CheckExact(object)) {
    *type = ScalarType::kFloat;
    value->f = PyFloat_AS_DOUBLE(object);
    return true;
  }
  int overflow = 0;
  *type = PyBool_Check(object) ? ScalarType::kBool : ScalarType::kInt;
  value->i = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

symbolic::NumberValue* NewNumber(Tracer& tracer, ScalarId id, ScalarType type, ScalarValue hint) {
  return tracer.trace().New<symbolic::NumberValue>(id, type, hint);
}

// Brings both operands to one type: bools count as ints, ints meet floats as floats.
absl::Status Unify(Tracer& tracer, symbolic::NumberValue*& a, symbolic::NumberValue*& b) {
  ScalarProgram& program = tracer.trace().graph().scalars();
  const bool as_float = a->type == ScalarType::kFloat || b->type == ScalarType::kFloat;
  for (symbolic::NumberValue** side : {&a, &b}) {
    symbolic::NumberValue* number = *side;
    if (number->type == ScalarType::kBool)
      return symbolic::GraphBreak("arithmetic on a changing bool");
    if (!as_float || number->type == ScalarType::kFloat) continue;
    ScalarValue hint;
    hint.f = static_cast<double>(number->hint.i);
    *side =
        NewNumber(tracer, program.Apply(ScalarOp::kToFloat, number->id), ScalarType::kFloat, hint);
  }
  return absl::OkStatus();
}

absl::StatusOr<symbolic::Value*> ApplyWithHint(Tracer& tracer, ScalarOp op,
                                               symbolic::NumberValue* a, symbolic::NumberValue* b,
                                               BorrowedRef hint_object) {
  ScalarType type;
  ScalarValue hint;
  if (!ReadNumber(hint_object, &type, &hint)) return symbolic::GraphBreak("an int beyond 64 bits");
  const ScalarId id = tracer.trace().graph().scalars().Apply(op, a->id, b->id);
  return NewNumber(tracer, id, type, hint);
}

struct Comparison {
  ScalarOp op;
  bool swap;
};

// a > b is b < a: the scalar program has only four comparisons.
constexpr Comparison kComparisons[] = {
    {ScalarOp::kLt, false}, {ScalarOp::kLe, false}, {ScalarOp::kEq, false},
    {ScalarOp::kNe, false}, {ScalarOp::kLt, true},  {ScalarOp::kLe, true},
};

}  // namespace

bool HasLimitedDigits(BorrowedRef constant) {
  // CPython's own digits have 30 bits: so few never make kUnlimitedDigits.
  constexpr Py_ssize_t kFew = 70;
  if (PyLong_CheckExact(constant)) return std::abs(SignedDigitCount(constant)) > kFew;
  if (!PyTuple_CheckExact(constant)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant); ++i) {
    if (HasLimitedDigits(PyTuple_GET_ITEM(constant, i))) return true;
  }
  return false;
}

bool HasNan(BorrowedRef constant) {
  if (PyFloat_CheckExact(constant)) return std::isnan(PyFloat_AS_DOUBLE(constant));
  if (PyComplex_CheckExact(constant)) {
    const Py_complex value = PyComplex_AsCComplex(constant);
    return std::isnan(value.real) || std::isnan(value.imag);
  }
  if (!PyTuple_CheckExact(constant)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant); ++i) {
    if (HasNan(PyTuple_GET_ITEM(constant, i))) return true;
  }
  return false;
}

bool IsPlainConstantValue(const symbolic::Value* value) {
  return value->kind() == symbolic::ValueKind::kConstant &&
         IsPlainObject(static_cast<const symbolic::ConstantValue*>(value)->object.get());
}

bool IsNumberValue(const symbolic::Value* value) {
  if (value->kind() == symbolic::ValueKind::kNumber) return true;
  if (value->kind() != symbolic::ValueKind::kConstant) return false;
  BorrowedRef object = static_cast<const symbolic::ConstantValue*>(value)->object.get();
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object);
}

absl::StatusOr<symbolic::NumberValue*> AsExpression(Tracer& tracer, symbolic::Value* value) {
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) return number;
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  ScalarType type;
  ScalarValue hint;
  if (constant == nullptr || !IsNumberValue(value) ||
      !ReadNumber(constant->object.get(), &type, &hint)) {
    return symbolic::GraphBreak("an operand that is not a number of 64 bits");
  }
  if (type == ScalarType::kBool) type = ScalarType::kInt;
  ScalarProgram& program = tracer.trace().graph().scalars();
  const ScalarId id = type == ScalarType::kFloat ? program.Float(hint.f) : program.Int(hint.i);
  return NewNumber(tracer, id, type, hint);
}

namespace {

// The exponent of an int that may change, if that is a constant of few factors; those are exact.
std::optional<int64_t> SmallPowerOf(symbolic::Value* a, symbolic::Value* b) {
  constexpr int64_t kMaxFactors = 8;
  auto* const base = symbolic::As<symbolic::NumberValue>(a);
  auto* const constant = symbolic::As<symbolic::ConstantValue>(b);
  if (base == nullptr || base->type != ScalarType::kInt || constant == nullptr ||
      !PyLong_CheckExact(constant->object.get())) {
    return std::nullopt;
  }
  int overflow;
  const int64_t exponent = PyLong_AsLongLongAndOverflow(constant->object.get(), &overflow);
  return exponent >= 1 && exponent <= kMaxFactors ? std::optional(exponent) : std::nullopt;
}

absl::StatusOr<symbolic::Value*> PowerAsProduct(Tracer& tracer, symbolic::Value* base,
                                                int64_t exponent) {
  symbolic::Value* product = base;
  for (int64_t i = 1; i < exponent; ++i) {
    DYNACC_ASSIGN_OR_RETURN(product, NumberBinary(tracer, NB_MULTIPLY, product, base));
  }
  return product;
}

}  // namespace

absl::StatusOr<symbolic::Value*> NumberBinary(Tracer& tracer, int nb_op, symbolic::Value* a,
                                              symbolic::Value* b) {
  nb_op %= NB_INPLACE_ADD;
  if (const auto exponent = nb_op == NB_POWER ? SmallPowerOf(a, b) : std::nullopt) {
    return PowerAsProduct(tracer, a, *exponent);
  }
  if (IsPlainConstantValue(a) && IsPlainConstantValue(b)) {
    return FoldBinary(tracer, nb_op, symbolic::As<symbolic::ConstantValue>(a)->object.get(),
                      symbolic::As<symbolic::ConstantValue>(b)->object.get());
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::NumberValue * left, AsExpression(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::NumberValue * right, AsExpression(tracer, b));
  // Python divides ints exactly rounded; via doubles that holds only for exact ones, which the
  // scalar program checks, so the operands stay ints here.
  const symbolic::BinaryOperator& row = symbolic::OperatorOf(nb_op);
  Ref hint = Ref::Steal(row.apply(HintObject(*left).get(), HintObject(*right).get()));
  if (!hint) {
    PyErr_Clear();
    return symbolic::RaisingBreak("an operator that raises");
  }
  DYNACC_RETURN_IF_ERROR(Unify(tracer, left, right));
  const std::optional<ScalarOp> op =
      left->type == ScalarType::kFloat ? row.scalar_float : row.scalar_int;
  if (!op) return symbolic::GraphBreak("an operator on a changing number");
  return ApplyWithHint(tracer, *op, left, right, hint.get());
}

absl::StatusOr<symbolic::Value*> NumberApply(Tracer& tracer, ScalarOp op, symbolic::Value* a,
                                             symbolic::Value* b) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::NumberValue * left, AsExpression(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::NumberValue * right, AsExpression(tracer, b));
  if (left->type != right->type) return symbolic::GraphBreak("numbers of two types");
  const bool is_max = op == ScalarOp::kMax;
  Ref first = HintObject(*left), second = HintObject(*right);
  const int take_second =
      PyObject_RichCompareBool(second.get(), first.get(), is_max ? Py_GT : Py_LT);
  return ApplyWithHint(tracer, op, left, right, take_second ? second.get() : first.get());
}

absl::StatusOr<symbolic::Value*> NumberCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                               symbolic::Value* b) {
  if (IsPlainConstantValue(a) && IsPlainConstantValue(b)) {
    Ref result = Ref::Steal(
        PyObject_RichCompare(symbolic::As<symbolic::ConstantValue>(a)->object.get(),
                             symbolic::As<symbolic::ConstantValue>(b)->object.get(), compare_op));
    if (!result) return tracer.RaiseCurrent("a comparison that raises");
    return tracer.ConstantSteal(result.Release());
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::NumberValue * left, AsExpression(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::NumberValue * right, AsExpression(tracer, b));
  Ref hint = Ref::Steal(
      PyObject_RichCompare(HintObject(*left).get(), HintObject(*right).get(), compare_op));
  DYNACC_RETURN_IF_ERROR(Unify(tracer, left, right));
  const Comparison& comparison = kComparisons[compare_op];
  if (comparison.swap) std::swap(left, right);
  return ApplyWithHint(tracer, comparison.op, left, right, hint.get());
}

absl::StatusOr<symbolic::Value*> NumberUnary(Tracer& tracer, int opcode, symbolic::Value* a) {
  PyObject* (*const apply)(PyObject*) = opcode == UNARY_NEGATIVE   ? PyNumber_Negative
                                        : opcode == UNARY_POSITIVE ? PyNumber_Positive
                                                                   : PyNumber_Invert;
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(a)) {
    Ref result = Ref::Steal(apply(constant->object.get()));
    if (!result) return tracer.RaiseCurrent("an operator that raises");
    if (result.get() == constant->object.get()) return a;
    return tracer.ConstantSteal(result.Release());
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::NumberValue * number, AsExpression(tracer, a));
  if (number->type == ScalarType::kBool)
    return symbolic::GraphBreak("arithmetic on a changing bool");
  if (opcode == UNARY_POSITIVE) return a;
  Ref hint = Ref::Steal(apply(HintObject(*number).get()));
  ScalarType type;
  ScalarValue value;
  if (!hint || !ReadNumber(hint.get(), &type, &value)) {
    PyErr_Clear();
    return symbolic::GraphBreak("an int beyond 64 bits");
  }
  ScalarProgram& program = tracer.trace().graph().scalars();
  ScalarId result = program.Apply(ScalarOp::kNeg, number->id);
  if (opcode == UNARY_INVERT) result = program.Apply(ScalarOp::kSub, result, program.Int(1));
  return NewNumber(tracer, result, type, value);
}

bool NumberTruth(Tracer& tracer, const symbolic::NumberValue& a) {
  ScalarProgram& program = tracer.trace().graph().scalars();
  const bool truth = a.type == ScalarType::kFloat ? a.hint.f != 0 : a.hint.i != 0;
  ScalarId condition = a.id;
  if (a.type == ScalarType::kInt) {
    condition = program.Apply(ScalarOp::kNe, a.id, program.Int(0));
  } else if (a.type == ScalarType::kFloat) {
    condition = program.Apply(ScalarOp::kNe, a.id, program.Float(0.0));
  }
  if (!truth) condition = program.Apply(ScalarOp::kNot, condition);
  if (tracer.trace().IsDataDependent(condition)) tracer.trace().NoteUnknown();
  tracer.trace().RequireTrue(condition);
  return truth;
}

namespace {

bool IsBool(symbolic::Value* value) {
  auto* number = symbolic::As<symbolic::NumberValue>(value);
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return (number != nullptr && number->type == ScalarType::kBool) ||
         (constant != nullptr && PyBool_Check(constant->object.get()));
}

// Whether it is an exact int that fits a size and is not negative, required at every call.
absl::StatusOr<bool> IsLength(Tracer& tracer, symbolic::Value* value) {
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) {
    if (number->type != ScalarType::kInt || number->hint.i < 0) return false;
    if (tracer.trace().IsDataDependent(number->id)) return false;
    ScalarProgram& program = tracer.trace().graph().scalars();
    tracer.trace().RequireTrue(program.Apply(ScalarOp::kLe, program.Int(0), number->id));
    return true;
  }
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr || !PyLong_CheckExact(constant->object.get())) return false;
  const Py_ssize_t length = PyLong_AsSsize_t(constant->object.get());
  PyErr_Clear();
  return length >= 0;
}

// What __bool__ says; null: there is none.
absl::StatusOr<symbolic::Value*> TruthByMethod(Tracer& tracer, symbolic::Value* object) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, object, "__bool__"));
  if (method == nullptr) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * answer, tracer.CallNow(method, {}));
  DYNACC_ASSIGN_OR_RETURN(answer, tracer.Materialize(answer));
  if (!IsBool(answer)) return symbolic::RaisingBreak("a __bool__ that gives no bool");
  return answer;
}

// __bool__, else __len__, else true.
absl::StatusOr<bool> ObjectTruth(Tracer& tracer, symbolic::Value* object) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain,
                          AsOperand(tracer, object, {"__bool__", "__len__"}));
  if (plain != object) return tracer.Truth(plain);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * answer, TruthByMethod(tracer, object));
  if (answer != nullptr) return tracer.Truth(answer);
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries, EntriesBy(tracer, object, "__len__"));
  if (entries != nullptr) return tracer.Truth(entries);
  DYNACC_ASSIGN_OR_RETURN(answer, LengthByMethod(tracer, object));
  return answer == nullptr ? true : tracer.Truth(answer);
}

// A metaclass may have an opinion.
absl::StatusOr<bool> ClassTruth(Tracer& tracer, symbolic::ConstantValue* cls) {
  DYNACC_RETURN_IF_ERROR(GuardTypeOf(tracer, cls->object.get(), SourceOfClass(tracer, cls)));
  return ObjectTruth(tracer, cls);
}

}  // namespace

absl::StatusOr<symbolic::Value*> LengthByMethod(Tracer& tracer, symbolic::Value* object) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, object, "__len__"));
  if (method == nullptr) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * length, tracer.CallNow(method, {}));
  DYNACC_ASSIGN_OR_RETURN(length, tracer.Materialize(length));
  DYNACC_ASSIGN_OR_RETURN(const bool fits, IsLength(tracer, length));
  if (!fits)
    return symbolic::GraphBreak("a __len__ that gives no int, or one that may not be a length");
  return length;
}

absl::StatusOr<bool> Tracer::Truth(symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * known, Materialize(value));
  if (auto* number = symbolic::As<symbolic::NumberValue>(known)) return NumberTruth(*this, *number);
  DYNACC_ASSIGN_OR_RETURN(const int64_t length, KnownLength(*this, known));
  if (length >= 0) return length > 0;
  if (known->kind() == symbolic::ValueKind::kFunction ||
      known->kind() == symbolic::ValueKind::kBoundMethod) {
    return true;
  }
  if (IsPlainConstantValue(known)) {
    return PyObject_IsTrue(symbolic::As<symbolic::ConstantValue>(known)->object.get()) == 1;
  }
  symbolic::TensorValue* const behind = ScalarBehind(known);
  auto* const tensor = behind != nullptr ? behind : symbolic::As<symbolic::TensorValue>(known);
  if (tensor != nullptr) {
    const bool is_single = root_.branches != nullptr && tensor->node->rank() == 0;
    return is_single ? root_.branches->Decide(trace_, tensor->node)
                     : symbolic::GraphBreak(kBranchOnValue);
  }
  auto* constant = symbolic::As<symbolic::ConstantValue>(known);
  if (constant != nullptr && PyType_Check(constant->object.get()))
    return ClassTruth(*this, constant);
  if (constant != nullptr && PyCallable_Check(constant->object.get())) return true;
  if (HasAttributes(known)) return ObjectTruth(*this, known);
  return symbolic::GraphBreak("branch on the truth of an object");
}

}  // namespace dynacc::tracer
