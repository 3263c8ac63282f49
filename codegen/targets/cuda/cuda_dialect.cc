#include "codegen/targets/cuda/cuda_dialect.h"

#include "codegen/emit/grid_loop.h"

namespace dynacc {
namespace {

const char* TypeName(DType dtype) { return Info(dtype).c_name; }

const char* TypeMacro(DType dtype) {
  if (dtype == DType::kFloat16) return "DYNACC_HALF";
  if (dtype == DType::kBFloat16) return "DYNACC_BFLOAT16";
  if (IsLowPrecision(dtype)) return "DYNACC_FLOAT8";
  return IsComplex(dtype) ? "DYNACC_COMPLEX" : "";
}

// C++ promotes short integers and leaves signed overflow open, so arithmetic goes through the
// prelude; library steps are CUDA's functions.
constexpr OpSpelling kSpellings[] = {
    {Op::kCast, "Cast<T>(a)"},
    {Op::kWhere, "a ? b : c"},
    {Op::kNegative, "Negative(a)"},
    {Op::kSqrt, "sqrt(a)"},
    {Op::kSquare, "Multiply(a, a)"},
    {Op::kFloor, "floor(a)"},
    {Op::kCeil, "ceil(a)"},
    {Op::kTrunc, "trunc(a)"},
    {Op::kRint, "rint(a)"},
    {Op::kExp, "exp(a)"},
    {Op::kExp2, "exp2(a)"},
    {Op::kExpm1, "expm1(a)"},
    {Op::kLog, "log(a)"},
    {Op::kLog2, "log2(a)"},
    {Op::kLog10, "log10(a)"},
    {Op::kLog1p, "log1p(a)"},
    {Op::kSin, "sin(a)"},
    {Op::kCos, "cos(a)"},
    {Op::kTan, "tan(a)"},
    {Op::kArcsin, "asin(a)"},
    {Op::kArccos, "acos(a)"},
    {Op::kArctan, "atan(a)"},
    {Op::kSinh, "sinh(a)"},
    {Op::kCosh, "cosh(a)"},
    {Op::kTanh, "tanh(a)"},
    {Op::kArcsinh, "asinh(a)"},
    {Op::kArccosh, "acosh(a)"},
    {Op::kArctanh, "atanh(a)"},
    {Op::kCbrt, "cbrt(a)"},
    {Op::kSpacing, "Spacing(a)"},
    {Op::kAdd, "Add(a, b)"},
    {Op::kSubtract, "Subtract(a, b)"},
    {Op::kMultiply, "Multiply(a, b)"},
    {Op::kFmax, "Fmax(a, b)"},
    {Op::kFmin, "Fmin(a, b)"},
    {Op::kCopysign, "copysign(a, b)"},
    {Op::kLeftShift, "LeftShift(a, b)"},
    {Op::kRightShift, "RightShift(a, b)"},
    {Op::kPower, "Power(a, b)"},
    {Op::kFloatPower, "pow(a, b)"},
    {Op::kFloorDivide, "FloorDivide(a, b)"},
    {Op::kRemainder, "Remainder(a, b)"},
    {Op::kFmod, "Fmod(a, b)"},
    {Op::kArctan2, "atan2(a, b)"},
    {Op::kHypot, "hypot(a, b)"},
    {Op::kLogaddexp, "Logaddexp(a, b)"},
    {Op::kLogaddexp2, "Logaddexp2(a, b)"},
    {Op::kNextafter, "nextafter(a, b)"},
    {Op::kHeaviside, "Heaviside(a, b)"},
    {Op::kGcd, "Gcd(a, b)"},
    {Op::kLcm, "Lcm(a, b)"},
};

}  // namespace

const Dialect& CudaDialect() {
  static constexpr Dialect kDialect = {
      .name = "cuda",
      .preamble = "#include \"dynacc_cuda_prelude.h\"\n",
      .type_name = TypeName,
      .type_macro = TypeMacro,
      .width_line = [](int) { return ""; },
      .spellings = kSpellings,
      .fast_spellings = {},
      .calls_library_loops = false,
      .make_bool = "",
      .fast_math_pragma = "",
      .emit_function = EmitGridFunction,
  };
  return kDialect;
}

}  // namespace dynacc
