#include "runtime/cpu/own/number_functions.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "boost/container/small_vector.hpp"
#include "runtime/ops/element_functions.h"
#include "runtime/ops/op.h"

namespace dynacc::cpu {
namespace {

enum class Errors : uint8_t { kNever, kDivisor, kMath };
enum class Gives : uint8_t { kNumber, kWhole };

struct NumberFunction {
  absl::string_view name;
  Op op;
  Errors errors;
  Gives gives;
};

// Functions of doubles that are no op's.

double Erf(double x, double) { return std::erf(x); }
double Erfc(double x, double) { return std::erfc(x); }
double LogToBase(double x, double base) { return std::log(x) / std::log(base); }

// round(x, digits) of Python's floats: the double that is next to the decimal fraction which is
// next to x's exact value, the even one of two.
double Rounded(double x, double digits) {
  constexpr int kMostDigits = 323;  // with more it is x
  if (!std::isfinite(x) || digits > kMostDigits) return x;
  char text[DBL_MAX_10_EXP + kMostDigits + 8];  // both functions have the same decimal point
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), x);
  return std::strtod(text, nullptr);
}

struct DoubleFunction {
  absl::string_view name;
  size_t arguments;
  double (*compute)(double a, double b);
  Errors errors;
};

constexpr DoubleFunction kDoubleFunctions[] = {
#define DYNACC_NUMBER_FUNCTION(name, op, errors, gives)
#define DYNACC_DOUBLE_FUNCTION(name, arguments, function, errors) \
  {name, arguments, function, Errors::errors},
#include "runtime/cpu/own/number_functions.def"
#undef DYNACC_DOUBLE_FUNCTION
#undef DYNACC_NUMBER_FUNCTION
};

constexpr NumberFunction kFunctions[] = {
#define DYNACC_DOUBLE_FUNCTION(name, arguments, function, errors)
#define DYNACC_NUMBER_FUNCTION(name, op, errors, gives) \
  {name, Op::k##op, Errors::errors, Gives::gives},
#include "runtime/cpu/own/number_functions.def"
#undef DYNACC_NUMBER_FUNCTION
#undef DYNACC_DOUBLE_FUNCTION
};

const NumberFunction* FindFunction(absl::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &NumberFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

const DoubleFunction* FindDoubleFunction(absl::string_view name, size_t arguments) {
  const auto* const found = std::ranges::find_if(kDoubleFunctions, [&](const DoubleFunction& row) {
    return row.name == name && row.arguments == arguments;
  });
  return found == std::end(kDoubleFunctions) ? nullptr : found;
}

// round(x, digits) of NumPy's floats, of which single ones are rounded after each operation.
double RoundedByFactor(double x, double digits, bool is_single) {
  const auto round = [&](double value) { return is_single ? static_cast<float>(value) : value; };
  const double factor = std::pow(10.0, std::fabs(digits));
  if (digits < 0) return round(std::rint(round(x / factor)) * factor);
  return round(std::rint(round(x * factor)) / factor);
}

// min and max pick one of their arguments, and have no op: of equals the first, and a NaN only
// where it comes first.
enum class Pick : uint8_t { kNone, kMin, kMax };
Pick PickOf(absl::string_view name) {
  if (name == "builtins.max") return Pick::kMax;
  return name == "builtins.min" ? Pick::kMin : Pick::kNone;
}

// The type in which all is computed; `function` is null for min and max.
DType ComputedType(const NumberFunction* function, OperandType result) {
  const bool is_whole = function != nullptr && function->gives == Gives::kWhole;
  const bool picks_int = function == nullptr && IsInteger(result.dtype);
  return is_whole ? DType::kFloat64 : picks_int ? DType::kInt64 : result.dtype;
}

struct Argument {
  NumberArgument kind;
  int64_t value;
};
size_t CountOf(const OwnCall& call) { return call.numbers.size() / 2; }
Argument ArgumentOf(const OwnCall& call, size_t i) {
  return {static_cast<NumberArgument>(call.numbers[2 * i + 1]), call.numbers[2 * i + 2]};
}

// Real numbers of which an array has single ones; float16's arithmetic is another one.
bool IsReal(DType dtype) {
  return IsInteger(dtype) || dtype == DType::kBool || dtype == DType::kFloat32 ||
         dtype == DType::kFloat64;
}

// Room for a number of the type in which all is computed: a float, or of min and max an int64.
union Number {
  float f32;
  double f64;
  int64_t i64;

  double AsDouble(DType dtype) const { return dtype == DType::kFloat32 ? f32 : f64; }
};
using Numbers = boost::container::small_vector<Number, 4>;

// The arguments, cast.
Numbers Read(const OwnCall& call, absl::Span<const StridedView> operands, DType computed) {
  Numbers read(CountOf(call));
  size_t operand = 0;
  for (size_t i = 0; i < read.size(); ++i) {
    const Argument argument = ArgumentOf(call, i);
    if (argument.kind == NumberArgument::kOperand) {
      const StridedView& view = operands[operand++];
      FindCastFn(view.dtype, computed)(view.data, &read[i]);
    } else {
      const DType dtype = argument.kind == NumberArgument::kFloat ? DType::kFloat64 : DType::kInt64;
      FindCastFn(dtype, computed)(&argument.value, &read[i]);
    }
  }
  return read;
}

Number Picked(Pick pick, const Numbers& given, DType dtype) {
  Number best = given[0];
  for (const Number& next : given) {
    if (dtype == DType::kInt64) {
      if (pick == Pick::kMax ? next.i64 > best.i64 : next.i64 < best.i64) best = next;
      continue;
    }
    const double a = best.AsDouble(dtype), b = next.AsDouble(dtype);
    if (pick == Pick::kMax ? b > a : b < a) best = next;
  }
  return best;
}

// Whether Python raises an error for these arguments, of which `made` was computed.
bool Raises(Errors errors, const Numbers& given, double made, DType dtype) {
  if (errors == Errors::kNever) return false;
  if (errors == Errors::kDivisor) return given.back().AsDouble(dtype) == 0;
  const auto any = [&](bool (*is)(double)) {
    return std::ranges::any_of(given, [&](const Number& n) { return is(n.AsDouble(dtype)); });
  };
  if (std::isnan(made)) return !any([](double value) { return std::isnan(value); });
  return std::isinf(made) && !any([](double value) { return !std::isfinite(value); });
}

}  // namespace

bool IsNumberFunction(absl::string_view name) {
  const auto is_named = [&](const DoubleFunction& function) { return function.name == name; };
  return FindFunction(name) != nullptr || PickOf(name) != Pick::kNone ||
         std::ranges::any_of(kDoubleFunctions, is_named);
}

std::string WhyNotNumber(const OwnCall& call, absl::Span<const OperandType> operands,
                         OperandType result) {
  const NumberFunction* const function = FindFunction(call.function);
  if (call.numbers.size() < 3 || call.numbers.size() % 2 == 0) return "it takes other numbers";
  size_t taken = 0;
  for (size_t i = 0; i < CountOf(call); ++i) {
    const NumberArgument kind = ArgumentOf(call, i).kind;
    if (kind < NumberArgument::kOperand || kind > NumberArgument::kInt) {
      return "it takes other numbers";
    }
    taken += kind == NumberArgument::kOperand ? 1 : 0;
  }
  const bool are_numbers =
      taken == operands.size() && std::ranges::all_of(operands, [](const OperandType& operand) {
        return operand.rank == 0 && IsReal(operand.dtype);
      });
  if (!are_numbers || result.rank != 0) return "it takes single real numbers";
  if (FindDoubleFunction(call.function, CountOf(call)) != nullptr) {
    const bool is_round = call.function == "builtins.round";
    const bool is_single = is_round && call.numbers[0] == 0 && result.dtype == DType::kFloat32;
    if (result.dtype != DType::kFloat64 && !is_single) return "its result is of another type";
    // Python rounds to tens by way of ints, and takes no other number of digits than one that is
    // known.
    const bool has_digits = ArgumentOf(call, 1).kind == NumberArgument::kInt;
    const bool is_known =
        !is_round || (has_digits && (ArgumentOf(call, 1).value >= 0 || call.numbers[0] == 0));
    return is_known ? "" : "it takes a number of digits that is known, and not less than 0";
  }
  const DType computed = ComputedType(function, result);
  if (function == nullptr) {
    const bool fits = IsReal(result.dtype) && result.dtype != DType::kBool;
    return fits && result.dtype != DType::kUInt64 ? "" : "its result is of another type";
  }
  const bool fits = result.dtype == computed || result.dtype == DType::kInt64;
  if (!fits || !IsReal(computed) || !IsInexact(computed)) return "its result is of another type";
  const size_t arity = FindUnaryElementFn(function->op, computed) != nullptr ? 1 : 2;
  return CountOf(call) == arity ? "" : "it takes another number of arguments";
}

namespace {

absl::Status Refused() { return absl::AbortedError("Python raises an error for these numbers"); }

absl::Status RunDouble(const DoubleFunction& function, const OwnCall& call,
                       absl::Span<const StridedView> operands, const StridedView& result) {
  const Numbers given = Read(call, operands, DType::kFloat64);
  const double a = given[0].f64, b = given.size() > 1 ? given[1].f64 : 0;
  const bool is_numpys = call.numbers[0] == 0;
  Number made;
  made.f64 =
      is_numpys ? RoundedByFactor(a, b, result.dtype == DType::kFloat32) : function.compute(a, b);
  if (!is_numpys && Raises(function.errors, given, made.f64, DType::kFloat64)) return Refused();
  FindCastFn(DType::kFloat64, result.dtype)(&made, result.data);
  return absl::OkStatus();
}

}  // namespace

absl::Status RunNumber(const OwnCall& call, absl::Span<const StridedView> operands,
                       const StridedView& result) {
  if (const DoubleFunction* const own = FindDoubleFunction(call.function, CountOf(call))) {
    return RunDouble(*own, call, operands, result);
  }
  const NumberFunction* const function = FindFunction(call.function);
  const DType computed = ComputedType(function, {result.dtype, 0});
  const Numbers given = Read(call, operands, computed);
  Number made;
  if (function == nullptr) {
    made = Picked(PickOf(call.function), given, computed);
  } else if (given.size() == 1) {
    FindUnaryElementFn(function->op, computed)(&given[0], &made);
  } else {
    FindBinaryElementFn(function->op, computed)(&given[0], &given[1], &made);
  }
  if (computed == DType::kInt64) {
    FindCastFn(computed, result.dtype)(&made, result.data);
    return absl::OkStatus();
  }
  const double value = made.AsDouble(computed);
  const bool raises = function != nullptr && call.numbers[0] != 0 &&
                      Raises(function->errors, given, value, computed);
  // The least number that is too large for 64 bits; its negative is the least that is not.
  constexpr double kTooLarge = 0x1p63;
  const bool is_whole = result.dtype != computed;
  if (raises || (is_whole && !(value >= -kTooLarge && value < kTooLarge))) {
    return Refused();
  }
  FindCastFn(computed, result.dtype)(&made, result.data);
  return absl::OkStatus();
}

}  // namespace dynacc::cpu
