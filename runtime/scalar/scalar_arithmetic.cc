#include "runtime/scalar/scalar_arithmetic.h"

#include <cmath>
#include <limits>

namespace dynacc {
namespace {

using Value = ScalarValue;

constexpr int64_t kMinInt = std::numeric_limits<int64_t>::min();
// Every int up to here is a double; beyond, conversion may round.
constexpr int64_t kMaxExactInt = int64_t{1} << 53;

bool IsExactInDouble(int64_t x) { return x >= -kMaxExactInt && x <= kMaxExactInt; }

bool Return(Value* result, int64_t value) {
  result->i = value;
  return true;
}

bool Return(Value* result, double value) {
  result->f = value;
  return true;
}

bool ReturnBool(Value* result, bool value) { return Return(result, int64_t{value}); }

// One pair of functions for each row of scalar_ops.def: on ints (and bools), and on floats.

bool IntAdd(Value a, Value b, Value* result) {
  return !__builtin_add_overflow(a.i, b.i, &result->i);
}
bool FloatAdd(Value a, Value b, Value* result) { return Return(result, a.f + b.f); }

bool IntSub(Value a, Value b, Value* result) {
  return !__builtin_sub_overflow(a.i, b.i, &result->i);
}
bool FloatSub(Value a, Value b, Value* result) { return Return(result, a.f - b.f); }

bool IntMul(Value a, Value b, Value* result) {
  return !__builtin_mul_overflow(a.i, b.i, &result->i);
}
bool FloatMul(Value a, Value b, Value* result) { return Return(result, a.f * b.f); }

bool IntFloorDiv(Value a, Value b, Value* result) {
  if (b.i == 0 || (a.i == kMinInt && b.i == -1)) return false;
  const int64_t quotient = a.i / b.i;
  const bool rounded_up = a.i % b.i != 0 && (a.i < 0) != (b.i < 0);
  return Return(result, quotient - int64_t{rounded_up});
}

// CPython's _float_div_mod (Objects/floatobject.c), including its signs of zero.
bool FloatFloorDiv(Value a, Value b, Value* result) {
  if (b.f == 0) return false;
  const double mod = std::fmod(a.f, b.f);
  double div = (a.f - mod) / b.f;
  if (mod != 0 && (b.f < 0) != (mod < 0)) div -= 1.0;
  if (div == 0) return Return(result, std::copysign(0.0, a.f / b.f));
  double floor = std::floor(div);
  if (div - floor > 0.5) floor += 1.0;
  return Return(result, floor);
}

bool IntMod(Value a, Value b, Value* result) {
  if (b.i == 0) return false;
  if (b.i == -1) return Return(result, int64_t{0});  // kMinInt % -1 traps
  const int64_t remainder = a.i % b.i;
  const bool wrong_sign = remainder != 0 && (remainder < 0) != (b.i < 0);
  return Return(result, wrong_sign ? remainder + b.i : remainder);
}

bool FloatMod(Value a, Value b, Value* result) {
  if (b.f == 0) return false;
  const double mod = std::fmod(a.f, b.f);
  if (mod == 0) return Return(result, std::copysign(0.0, b.f));
  return Return(result, (b.f < 0) != (mod < 0) ? mod + b.f : mod);
}

bool FloatTrueDiv(Value a, Value b, Value* result) { return b.f != 0 && Return(result, a.f / b.f); }
bool IntTrueDiv(Value a, Value b, Value* result) {
  if (b.i == 0 || !IsExactInDouble(a.i) || !IsExactInDouble(b.i)) return false;
  return Return(result, static_cast<double>(a.i) / static_cast<double>(b.i));
}

bool IntNeg(Value a, Value, Value* result) { return a.i != kMinInt && Return(result, -a.i); }
bool FloatNeg(Value a, Value, Value* result) { return Return(result, -a.f); }

bool IntAbs(Value a, Value, Value* result) {
  return a.i != kMinInt && Return(result, a.i < 0 ? -a.i : a.i);
}
bool FloatAbs(Value a, Value, Value* result) { return Return(result, std::fabs(a.f)); }

bool IntMin(Value a, Value b, Value* result) { return Return(result, b.i < a.i ? b.i : a.i); }
bool FloatMin(Value a, Value b, Value* result) { return Return(result, b.f < a.f ? b.f : a.f); }

bool IntMax(Value a, Value b, Value* result) { return Return(result, b.i > a.i ? b.i : a.i); }
bool FloatMax(Value a, Value b, Value* result) { return Return(result, b.f > a.f ? b.f : a.f); }

bool IntToFloat(Value a, Value, Value* result) {
  return IsExactInDouble(a.i) && Return(result, static_cast<double>(a.i));
}
bool FloatToFloat(Value a, Value, Value* result) { return Return(result, a.f); }

bool IntEq(Value a, Value b, Value* result) { return ReturnBool(result, a.i == b.i); }
bool FloatEq(Value a, Value b, Value* result) { return ReturnBool(result, a.f == b.f); }

bool IntNe(Value a, Value b, Value* result) { return ReturnBool(result, a.i != b.i); }
bool FloatNe(Value a, Value b, Value* result) { return ReturnBool(result, a.f != b.f); }

bool IntLt(Value a, Value b, Value* result) { return ReturnBool(result, a.i < b.i); }
bool FloatLt(Value a, Value b, Value* result) { return ReturnBool(result, a.f < b.f); }

bool IntLe(Value a, Value b, Value* result) { return ReturnBool(result, a.i <= b.i); }
bool FloatLe(Value a, Value b, Value* result) { return ReturnBool(result, a.f <= b.f); }

bool IntNot(Value a, Value, Value* result) { return ReturnBool(result, a.i == 0); }
bool FloatNot(Value a, Value, Value* result) { return ReturnBool(result, a.f == 0); }

using Function = bool (*)(Value a, Value b, Value* result);
struct Functions {
  Function on_ints;
  Function on_floats;
};

constexpr int kFirstRow = static_cast<int>(ScalarOp::kInput) + 1;
constexpr Functions kFunctions[] = {
#define DYNACC_SCALAR_OP(name, text, arity, result) {Int##name, Float##name},
#include "runtime/scalar/scalar_ops.def"
#undef DYNACC_SCALAR_OP
};

}  // namespace

bool EvaluateScalarOp(ScalarOp op, ScalarType type, ScalarValue a, ScalarValue b,
                      ScalarValue* result) {
  const Functions& functions = kFunctions[static_cast<int>(op) - kFirstRow];
  const Function function = type == ScalarType::kFloat ? functions.on_floats : functions.on_ints;
  return function(a, b, result);
}

}  // namespace dynacc
