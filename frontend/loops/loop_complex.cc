// The part of LoopBuilder that computes with complex numbers, Python's and NumPy's.
//
// A complex is two floats of the program, and an operation on it the operations on floats that
// complexobject.c or NumPy's scalarmath.c.src does, in its order. One of these that overflows or
// has no result leaves the instruction to Python.

#include <cerrno>
#include <cmath>
#include <utility>

#include "frontend/cpython/complex_rules.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_builder.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// Exponents up to this one are repeated products, as for CPython up to 100.
constexpr int64_t kMostPower = 16;

// errno is visible: CPython's abs() of a NaN takes what an operation before it has left there for
// an error of its own. What the compiler or a kernel left there is not the program's, so a NaN
// finds 0.
double Hypotenuse(double x, double y) {
  errno = 0;
  if (!std::isfinite(x) || !std::isfinite(y)) return x + y;
  const double result = std::hypot(x, y);
  errno = std::isfinite(result) ? 0 : ERANGE;
  return result;
}

double ClearError(double x) {
  errno = 0;
  return x;
}

}  // namespace

// Both parts go to places of the variable's own.
void LoopBuilder::StorePair(int variable, LoopValue value) {
  const uint16_t homes[] = {OfVariable(variable), OfImaginary(variable)};
  Push(std::move(value));  // where it is rescued, too
  for (int part = 0; part < 2; ++part) {
    const uint16_t home = homes[part];
    if (state_.stack.back().items[part].reg == home) continue;
    Rescue(home);
    Settle(state_.stack.back().items[part], home);
  }
  state_.variables[variable] = Pop();
  if (state_.call == nullptr) stored_[variable] = true;
}

LoopValue LoopBuilder::AsComplex(const LoopValue& value, NumberType type) {
  if (IsComplex(value)) {
    return LoopValue::Complex(type, value.items[0].reg, value.items[1].reg);
  }
  return LoopValue::Complex(type, AsFloatOf(value, NumberType::kFloat64), FloatConstant(0));
}

bool LoopBuilder::PushComplex(NumberType type, uint16_t real, uint16_t imag) {
  Push(LoopValue::Complex(type, real, imag));
  return true;
}

// Of two of one type, as are all operands from here on.
LoopValue LoopBuilder::Product(const LoopValue& a, const LoopValue& b) {
  const auto times = [&](int left, int right) {
    return Emit(Code::kMulFloat, a.items[left].reg, b.items[right].reg);
  };
  const uint16_t real_parts = times(0, 0);
  const uint16_t real = Emit(Code::kSubFloat, real_parts, times(1, 1));
  const uint16_t cross = times(0, 1);
  return LoopValue::Complex(a.type, real, Emit(Code::kAddFloat, cross, times(1, 0)));
}

// Smith's way: by the ratio of the smaller part of the divisor to the greater one. CPython divides
// by what that gives, NumPy multiplies with its inverse.
LoopValue LoopBuilder::Quotient(const LoopValue& a, const LoopValue& b) {
  const auto emit = [this](Code code, uint16_t x, uint16_t y) { return Emit(code, x, y); };
  const uint16_t ar = a.items[0].reg;
  const uint16_t ai = a.items[1].reg;
  const uint16_t br = b.items[0].reg;
  const uint16_t bi = b.items[1].reg;
  const uint16_t abs_real = Emit(Code::kAbsFloat, br);
  const uint16_t abs_imag = Emit(Code::kAbsFloat, bi);
  RequireFinite(emit(Code::kAddFloat, abs_real, abs_imag));
  const uint16_t real = NewRegister();
  const uint16_t imag = NewRegister();
  const auto give = [&](uint16_t re, uint16_t im, uint16_t denominator) {
    const bool divides = IsPython(a.type);
    const uint16_t by =
        divides ? denominator : emit(Code::kDivFloat, FloatConstant(1), denominator);
    const Code code = divides ? Code::kDivFloat : Code::kMulFloat;
    const uint16_t parts[] = {emit(code, re, by), emit(code, im, by)};
    for (int part = 0; part < 2; ++part) {
      LoopOp& move = Append(Code::kMoveFloat);
      move.d = part == 0 ? real : imag;
      move.a = parts[part];
    }
  };
  const uint16_t test = emit(Code::kLessFloat, abs_real, abs_imag);
  Append(Code::kJumpIf).a = test;
  const size_t jump = program_.ops.size() - 1;
  uint16_t ratio = emit(Code::kDivFloat, bi, br);
  uint16_t scaled = emit(Code::kMulFloat, bi, ratio);
  uint16_t denominator = emit(Code::kAddFloat, br, scaled);
  uint16_t re = emit(Code::kAddFloat, ar, emit(Code::kMulFloat, ai, ratio));
  uint16_t im = emit(Code::kSubFloat, ai, emit(Code::kMulFloat, ar, ratio));
  give(re, im, denominator);
  Append(Code::kJump);
  const size_t end = program_.ops.size() - 1;
  program_.ops[jump].k = static_cast<int32_t>(program_.ops.size());
  ratio = emit(Code::kDivFloat, br, bi);
  scaled = emit(Code::kMulFloat, br, ratio);
  denominator = emit(Code::kAddFloat, scaled, bi);
  re = emit(Code::kAddFloat, emit(Code::kMulFloat, ar, ratio), ai);
  im = emit(Code::kSubFloat, emit(Code::kMulFloat, ai, ratio), ar);
  give(re, im, denominator);
  program_.ops[end].k = static_cast<int32_t>(program_.ops.size());
  // Not what a jump passes by is the last op, which may be given another register.
  const uint16_t first = Emit(Code::kMoveFloat, real);
  return LoopValue::Complex(a.type, first, Emit(Code::kMoveFloat, imag));
}

// Of a small exponent that is known. Python's: by squares as c_powu() goes through them, where
// infinities are an OverflowError. NumPy's (npy_cpow): a square; 0 is a case of its own.
bool LoopBuilder::PowerOfComplex(const LoopValue& base, const LoopValue& exponent) {
  int64_t power = 0;
  if (!KnownInt(exponent, &power) || power < 1 || power > kMostPower) {
    return Refuse("a power of a complex");
  }
  if (!IsPython(base.type)) {
    if (power != 2) return Refuse("a power of a complex");
    const uint16_t size = Emit(Code::kAddFloat, Emit(Code::kAbsFloat, base.items[0].reg),
                               Emit(Code::kAbsFloat, base.items[1].reg));
    Emit(Code::kDivFloat, FloatConstant(1), size);
    Push(Product(base, base));
    return true;
  }
  EmitCall({.name = "clear errno", .function = ClearError}, FloatConstant(1));
  LoopValue result = LoopValue::Complex(base.type, FloatConstant(1), FloatConstant(0));
  LoopValue square = base;
  for (int64_t mask = 1;; mask <<= 1) {
    if ((power & mask) != 0) result = Product(result, square);
    if (mask << 1 > power) break;
    square = Product(square, square);
  }
  for (const LoopValue& part : result.items) RequireFinite(part.reg);
  Push(std::move(result));
  return true;
}

bool LoopBuilder::BinaryOfComplex(int nb_op, const LoopValue& a, const LoopValue& b) {
  const auto is_number = [](const LoopValue& x) { return IsComplex(x) || x.is(Kind::kNumber); };
  if (!is_number(a) || !is_number(b)) return RefuseOperands(a, b);
  const std::optional<NumberType> type = TypeOfBinary(nb_op, a.type, b.type);
  if (!type || !loops::IsComplex(*type)) {
    return Refuse("an operation that complex numbers do not have");
  }
  if (nb_op == NB_POWER) {
    return IsComplex(a) && *type == a.type ? PowerOfComplex(a, b) : Refuse("a power of a complex");
  }
  const LoopValue left = AsComplex(a, *type);
  const LoopValue right = AsComplex(b, *type);
  switch (nb_op) {
    case NB_ADD:
    case NB_SUBTRACT: {
      const Code code = nb_op == NB_ADD ? Code::kAddFloat : Code::kSubFloat;
      const uint16_t real = Emit(code, left.items[0].reg, right.items[0].reg);
      return PushComplex(*type, real, Emit(code, left.items[1].reg, right.items[1].reg));
    }
    case NB_MULTIPLY:
      Push(Product(left, right));
      return true;
    case NB_TRUE_DIVIDE:
      if (IsPython(*type)) {
        EmitCall({.name = "clear errno", .function = ClearError}, FloatConstant(1));
      }
      Push(Quotient(left, right));
      return true;
    default:
      return Refuse("an operation that complex numbers do not have");
  }
}

// Ints are compared as they are, not as the floats next to them.
bool LoopBuilder::CompareComplex(int compare_op, const LoopValue& a, const LoopValue& b) {
  if (compare_op != Py_EQ && compare_op != Py_NE) return Refuse("an order of complex numbers");
  uint16_t parts[2][2];
  const LoopValue* const operands[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    const LoopValue& operand = *operands[i];
    if (!IsComplex(operand) && !operand.is(Kind::kNumber)) return RefuseOperands(a, b);
    parts[i][0] = IsComplex(operand) ? operand.items[0].reg : AsFloat(operand, /*exactly=*/true);
    parts[i][1] = IsComplex(operand) ? operand.items[1].reg : FloatConstant(0);
  }
  const std::optional<NumberType> type = TypeOfComparison(a.type, b.type);
  if (!type || !IsBool(*type)) return Refuse("a comparison that numbers do not have");
  const bool equal = compare_op == Py_EQ;
  const Code code = equal ? Code::kEqualFloat : Code::kNotEqualFloat;
  const uint16_t real = Emit(code, parts[0][0], parts[1][0]);
  const uint16_t imag = Emit(code, parts[0][1], parts[1][1]);
  return PushNumber(*type, Emit(equal ? Code::kAndInt : Code::kOrInt, real, imag));
}

bool LoopBuilder::UnaryOfComplex(int opcode, const LoopValue& a) {
  if (opcode == UNARY_POSITIVE) {
    Push(a);
    return true;
  }
  if (opcode != UNARY_NEGATIVE) return Refuse("an operation that complex numbers do not have");
  const uint16_t real = Emit(Code::kNegFloat, a.items[0].reg);
  return PushComplex(a.type, real, Emit(Code::kNegFloat, a.items[1].reg));
}

LoopValue LoopBuilder::Conjugate(const LoopValue& number) {
  const uint16_t imag = Emit(Code::kNegFloat, number.items[1].reg);
  return LoopValue::Complex(number.type, Emit(Code::kMoveFloat, number.items[0].reg), imag);
}

PyTypeObject* LoopBuilder::ClassOfComplex(const LoopValue& number) {
  static PyTypeObject* const numpys =
      Py_TYPE(BoxComplex(1, 0, NumberType::kComplex128).Release());  // never dies
  return IsPython(number.type) ? &PyComplex_Type : numpys;
}

bool LoopBuilder::AbsoluteOfComplex(const LoopValue& number) {
  program_.callees.push_back({.name = "abs of complex", .function2 = Hypotenuse});
  const uint16_t result = Emit(Code::kCall2, number.items[0].reg, number.items[1].reg,
                               static_cast<int>(program_.callees.size()) - 1);
  RequireFinite(result);
  return PushNumber(number.items[0].type, result);
}

// A ufunc of a complex of NumPy's; one of Python's becomes that.
bool LoopBuilder::CallNumpyOfComplex(absl::string_view ufunc, const LoopValue& number) {
  const LoopValue argument = AsComplex(number, NumberType::kComplex128);
  if (ufunc == "absolute") return AbsoluteOfComplex(argument);
  if (ufunc != "conjugate") return false;
  Push(Conjugate(argument));
  return true;
}

// complex(z), complex(x) and complex(x, y), of NumPy's numbers, too: one of Python's.
bool LoopBuilder::MakeComplex(const std::vector<LoopValue>& args) {
  if (!kComplexTakesRealsAsComplex || args.empty() || args.size() > 2) return false;
  if (args.size() == 1 && IsComplex(args[0])) {
    Push(AsComplex(args[0], NumberType::kPyComplex));
    return true;
  }
  for (const LoopValue& arg : args) {
    if (!arg.is(Kind::kNumber)) return false;
  }
  const uint16_t real = AsFloatOf(args[0], NumberType::kFloat64);
  return PushComplex(
      NumberType::kPyComplex, real,
      args.size() == 2 ? AsFloatOf(args[1], NumberType::kFloat64) : FloatConstant(0));
}

bool LoopBuilder::AttributeOfComplex(const LoopValue& number, absl::string_view name) {
  if (name != "real" && name != "imag") return Refuse("an attribute of a complex");
  // A float of its own, in a register of its own.
  const LoopValue& part = number.items[name == "real" ? 0 : 1];
  return PushNumber(part.type, Emit(Code::kMoveFloat, part.reg));
}

}  // namespace dynacc::loops
