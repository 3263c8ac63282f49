// The part of LoopBuilder that does arithmetic.

#include <optional>
#include <utility>

#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/symbolic/binary_operator.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// Whether a float power is the C library's: np.float64's own operator and Python's call that, but
// mixed types (np.float32 ** int) go to NumPy's ufunc, which has other last bits.
bool PowerIsOfLibrary(NumberType a, NumberType b) {
  return a == NumberType::kFloat64 || b == NumberType::kFloat64 || (IsPython(a) && IsPython(b));
}

// Whether NumPy (2) first makes a Python number a float32 where it meets one: then 0.1 is another
// number in a comparison.
bool IsRoundedFirst(NumberType a, NumberType b) {
  if (a != NumberType::kFloat32) std::swap(a, b);
  return a == NumberType::kFloat32 && IsPython(b) && TypeOfBinary(NB_ADD, a, b) == a;
}

bool IsUnsigned(NumberType type) {
  return type >= NumberType::kUInt8 && type <= NumberType::kUInt32;
}

int Bits(NumberType type) {
  return IsPython(type) ? 64 : 8 * static_cast<int>(ItemSize(DTypeOf(type)));
}

}  // namespace

bool LoopBuilder::PushNumber(NumberType type, uint16_t reg) {
  Push(LoopValue::Number(type, reg));
  return true;
}

uint16_t LoopBuilder::AsFloat(const LoopValue& number, bool exactly) {
  if (IsFloat(number.type)) return number.reg;
  return Emit(exactly ? Code::kToFloatExactly : Code::kToFloat, number.reg);
}

uint16_t LoopBuilder::AsFloatOf(const LoopValue& number, NumberType type) {
  const bool single = type == NumberType::kFloat32;
  const uint16_t reg = AsFloat(number, single);
  if (single && number.type != type) return Emit(Code::kToSingle, reg);
  return number.type == NumberType::kFloat32 && !single ? Emit(Code::kToDouble, reg) : reg;
}

uint16_t LoopBuilder::FitInt(uint16_t reg, NumberType type) {
  if (Bits(type) == 64) return reg;
  return Emit(IsUnsigned(type) ? Code::kFitsUnsigned : Code::kFitsBits, reg, 0, Bits(type));
}

bool LoopBuilder::AsIntOf(const LoopValue& number, NumberType type, uint16_t* reg) {
  if (IsFloat(number.type)) return false;
  *reg = number.type == type || IsBool(number.type) ? number.reg : FitInt(number.reg, type);
  return true;
}

bool LoopBuilder::Truth(const LoopValue& value, uint16_t* reg) {
  if (value.is(Kind::kEither)) return Truth(AsNumpys(value), reg);
  if (value.is(Kind::kList)) {
    *reg = Emit(Code::kListSize, value.reg);
    return true;
  }
  if (IsComplex(value)) {
    const uint16_t zero = FloatConstant(0);
    const uint16_t real = Emit(Code::kNotEqualFloat, value.items[0].reg, zero);
    *reg = Emit(Code::kOrInt, real, Emit(Code::kNotEqualFloat, value.items[1].reg, zero));
    return true;
  }
  if (!value.is(Kind::kNumber) && !value.is(Kind::kChar) && !value.is(Kind::kObject))
    return Refuse("the truth of something else than a number");
  if (value.is(Kind::kChar) || value.is(Kind::kObject)) {
    return KnownTruth(value, reg) || Refuse("the truth of an object");
  }
  *reg = IsFloat(value.type) ? Emit(Code::kNotEqualFloat, value.reg, FloatConstant(0)) : value.reg;
  return true;
}

bool LoopBuilder::RefuseOperands(const LoopValue& a, const LoopValue& b) {
  if (IsArray(a) || IsArray(b)) return RefuseArrays("an operation on whole arrays");
  return Refuse("an operation on something else than numbers");
}

bool LoopBuilder::Binary(int nb_op) {
  const LoopValue b = Pop();
  const LoopValue a = Pop();
  if (a.is(Kind::kWindow) || b.is(Kind::kWindow)) {
    return BinaryOfWindows(nb_op, a, b) || RefuseOperands(a, b);
  }
  if (IsComplex(a) || IsComplex(b)) return BinaryOfComplex(nb_op, a, b);
  if (a.is(Kind::kEither) || b.is(Kind::kEither)) return BinaryOfEither(nb_op, a, b);
  if (IsSlice1d(a) || IsSlice1d(b)) return BinaryOfSlices1d(nb_op, a, b) || RefuseOperands(a, b);
  if (!a.is(Kind::kNumber) || !b.is(Kind::kNumber)) return RefuseOperands(a, b);
  const std::optional<NumberType> result = TypeOfBinary(nb_op, a.type, b.type);
  if (!result) return Refuse("an operation that numbers do not have");
  if (!IsFloat(*result)) {
    uint16_t left = 0;
    uint16_t right = 0;
    return AsIntOf(a, *result, &left) && AsIntOf(b, *result, &right) &&
           BinaryInt(nb_op, *result, left, right);
  }
  if (nb_op == NB_POWER && !PowerIsOfLibrary(a.type, b.type)) return Refuse("a power by a ufunc");
  // Python divides ints as if without rounding before.
  const bool exactly = IsPython(a.type) && IsPython(b.type) && !IsFloat(a.type) && !IsFloat(b.type);
  if (exactly) {
    const uint16_t left = AsFloat(a, true);
    return BinaryFloat(nb_op, *result, left, AsFloat(b, true));
  }
  const uint16_t left = AsFloatOf(a, *result);
  return BinaryFloat(nb_op, *result, left, AsFloatOf(b, *result));
}

bool LoopBuilder::BinaryInt(int nb_op, NumberType result, uint16_t a, uint16_t b) {
  const std::optional<Code> code = symbolic::OperatorOf(nb_op).loop_int;
  const bool bitwise = nb_op == NB_AND || nb_op == NB_OR || nb_op == NB_XOR;
  if (!code || (IsBool(result) && !bitwise)) return Refuse("an operation that bools do not have");
  return PushNumber(result, IsBool(result) ? Emit(*code, a, b) : FitInt(Emit(*code, a, b), result));
}

bool LoopBuilder::BinaryFloat(int nb_op, NumberType result, uint16_t a, uint16_t b) {
  const symbolic::BinaryOperator& row = symbolic::OperatorOf(nb_op);
  const std::optional<Code> code = row.loop_float;
  const bool single = result == NumberType::kFloat32;
  if (!code || (single && !row.is_basic())) {
    return Refuse("an operation that floats do not have");
  }
  const uint16_t wide = Emit(*code, a, b);
  return PushNumber(result, single ? Emit(Code::kToSingle, wide) : wide);
}

bool LoopBuilder::CompareNumbers(int compare_op, const LoopValue& a, const LoopValue& b,
                                 uint16_t* result) {
  if (IsRoundedFirst(a.type, b.type)) return Refuse("a float32 and a number of Python's");
  const bool floats = IsFloat(a.type) || IsFloat(b.type);
  // A float32 beside another number is a float64 first.
  const auto number = [&](const LoopValue& operand) {
    const bool cast = a.type != b.type && operand.type == NumberType::kFloat32;
    const uint16_t reg = floats ? AsFloat(operand, true) : operand.reg;
    return cast ? Emit(Code::kToDouble, reg) : reg;
  };
  uint16_t left = number(a);
  uint16_t right = number(b);
  if (compare_op == Py_GT || compare_op == Py_GE) std::swap(left, right);
  Code code;
  switch (compare_op) {
    case Py_LT:
    case Py_GT:
      code = floats ? Code::kLessFloat : Code::kLessInt;
      break;
    case Py_LE:
    case Py_GE:
      code = floats ? Code::kLessEqualFloat : Code::kLessEqualInt;
      break;
    case Py_EQ:
      code = floats ? Code::kEqualFloat : Code::kEqualInt;
      break;
    default:
      code = floats ? Code::kNotEqualFloat : Code::kNotEqualInt;
      break;
  }
  *result = Emit(code, left, right);
  return true;
}

bool LoopBuilder::Compare(int compare_op) {
  const LoopValue b = Pop();
  const LoopValue a = Pop();
  if (a.is(Kind::kChar) && b.is(Kind::kChar)) return CompareChars(compare_op, a, b);
  if (IsComplex(a) || IsComplex(b)) return CompareComplex(compare_op, a, b);
  if (a.is(Kind::kEither) || b.is(Kind::kEither)) return CompareEither(compare_op, a, b);
  if (!a.is(Kind::kNumber) || !b.is(Kind::kNumber)) return RefuseOperands(a, b);
  const std::optional<NumberType> type = TypeOfComparison(a.type, b.type);
  uint16_t result = 0;
  if (!type || !IsBool(*type)) return Refuse("a comparison that numbers do not have");
  return CompareNumbers(compare_op, a, b, &result) && PushNumber(*type, result);
}

bool LoopBuilder::ToBool() {
  const LoopValue a = Pop();
  uint16_t truth = 0;
  if (!Truth(a, &truth)) return false;
  if (a.is(Kind::kNumber) && IsBool(a.type)) return PushNumber(NumberType::kPyBool, a.reg);
  // A truth is any number but 0.
  if (truth >= kFirstConstant) {
    const bool known = constants_[truth - kFirstConstant].i != 0;
    return PushNumber(NumberType::kPyBool, IntConstant(known ? 1 : 0));
  }
  return PushNumber(NumberType::kPyBool, Emit(Code::kNotInt, Emit(Code::kNotInt, truth)));
}

bool LoopBuilder::Unary(int opcode) {
  const LoopValue a = Pop();
  uint16_t truth = 0;
  if (opcode == UNARY_NOT) {
    return Truth(a, &truth) && PushNumber(NumberType::kPyBool, Emit(Code::kNotInt, truth));
  }
  if (IsComplex(a)) return UnaryOfComplex(opcode, a);
  if (opcode == UNARY_NEGATIVE && IsSlice1d(a)) return Elementwise(Op::kNegative, {a}, false);
  if (!a.is(Kind::kNumber)) return RefuseOperands(a, a);
  if (IsUnsigned(a.type) && opcode != UNARY_POSITIVE) return Refuse("an unsigned number, negated");
  const std::optional<NumberType> type = TypeOfUnary(opcode, a.type);
  if (!type) return Refuse("an operation that numbers do not have");
  if (opcode == UNARY_POSITIVE) return PushNumber(*type, a.reg);
  if (opcode == UNARY_INVERT) {
    return PushNumber(*type, Emit(IsBool(*type) ? Code::kNotInt : Code::kInvertInt, a.reg));
  }
  if (IsFloat(*type)) return PushNumber(*type, Emit(Code::kNegFloat, a.reg));
  return PushNumber(*type, FitInt(Emit(Code::kNegInt, a.reg), *type));
}

}  // namespace dynacc::loops
