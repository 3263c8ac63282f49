#include "runtime/cpu/own/number_functions.h"

#include <algorithm>
#include <cmath>

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

constexpr NumberFunction kFunctions[] = {
#define DYNACC_NUMBER_FUNCTION(name, op, errors, gives) \
  {name, Op::k##op, Errors::errors, Gives::gives},
#include "runtime/cpu/own/number_functions.def"
#undef DYNACC_NUMBER_FUNCTION
};

const NumberFunction* FindFunction(absl::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &NumberFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

// min and max pick one of their arguments, and have no op: of equals the first, and a NaN only
// where it comes first.
enum class Pick : uint8_t { kNone, kMin, kMax };
Pick PickOf(absl::string_view name) {
  if (name == "builtins.max") return Pick::kMax;
  return name == "builtins.min" ? Pick::kMin : Pick::kNone;
}

// The type in which all is computed.
DType ComputedType(const NumberFunction* function, OperandType result) {
  const bool is_whole = function != nullptr && function->gives == Gives::kWhole;
  return is_whole ? DType::kFloat64 : result.dtype;
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

// Room for a number of the type in which all is computed.
union Number {
  float f32;
  double f64;

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
  return FindFunction(name) != nullptr || PickOf(name) != Pick::kNone;
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
  const DType computed = ComputedType(function, result);
  const bool fits = result.dtype == computed || result.dtype == DType::kInt64;
  if (!fits || !IsReal(computed) || !IsInexact(computed)) return "its result is of another type";
  if (function == nullptr) return "";
  const size_t arity = FindUnaryElementFn(function->op, computed) != nullptr ? 1 : 2;
  return CountOf(call) == arity ? "" : "it takes another number of arguments";
}

absl::Status RunNumber(const OwnCall& call, absl::Span<const StridedView> operands,
                       const StridedView& result) {
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
  const double value = made.AsDouble(computed);
  const bool raises = function != nullptr && call.numbers[0] != 0 &&
                      Raises(function->errors, given, value, computed);
  // The least number that is too large for 64 bits; its negative is the least that is not.
  constexpr double kTooLarge = 0x1p63;
  const bool is_whole = result.dtype != computed;
  if (raises || (is_whole && !(value >= -kTooLarge && value < kTooLarge))) {
    return absl::AbortedError("Python raises an error for these numbers");
  }
  FindCastFn(computed, result.dtype)(&made, result.data);
  return absl::OkStatus();
}

}  // namespace dynacc::cpu
