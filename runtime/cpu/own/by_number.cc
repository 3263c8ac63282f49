#include "runtime/cpu/own/by_number.h"

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace dynacc::cpu {
namespace {

// Where min_scalar_type of NumPy 1.x (convert_datatype.c) leaves float32.
constexpr double kBeyondSingle = 3.4e38;

struct Row {
  absl::string_view name;
  ByNumberOperator op;
};
constexpr Row kRows[] = {
    {"_operator.add", ByNumberOperator::kAdd},
    {"_operator.sub", ByNumberOperator::kSubtract},
    {"_operator.mul", ByNumberOperator::kMultiply},
    {"_operator.truediv", ByNumberOperator::kDivide},
    {"numpy.add", ByNumberOperator::kAdd},
    {"numpy.subtract", ByNumberOperator::kSubtract},
    {"numpy.multiply", ByNumberOperator::kMultiply},
    {"numpy.divide", ByNumberOperator::kDivide},
    {"numpy.true_divide", ByNumberOperator::kDivide},
};

bool IsNumber(OperandType operand) { return operand.dtype == DType::kFloat64 && operand.rank == 0; }
bool IsArray(OperandType operand) { return operand.dtype == DType::kFloat32 && operand.rank > 0; }

// Writes f(element) for each element of an array, in C order.
template <typename F>
void Map(const StridedView& array, float* to, F f) {
  const int last = array.rank - 1;
  const int64_t length = array.shape[last], step = array.strides[last];
  const int64_t rows = length == 0 ? 0 : array.size() / length;
  for (int64_t row = 0; row < rows; ++row) {
    const char* from = array.data;
    int64_t index = row;
    for (int axis = last - 1; axis >= 0; --axis) {
      from += index % array.shape[axis] * array.strides[axis];
      index /= array.shape[axis];
    }
    for (int64_t i = 0; i < length; ++i) {
      float element;
      std::memcpy(&element, from + i * step, sizeof element);
      *to++ = f(element);
    }
  }
}

void Apply(ByNumberOperator op, bool array_first, const StridedView& array, float number,
           float* to) {
  switch (op) {
    case ByNumberOperator::kAdd:
      return array_first ? Map(array, to, [number](float x) { return x + number; })
                         : Map(array, to, [number](float x) { return number + x; });
    case ByNumberOperator::kSubtract:
      return array_first ? Map(array, to, [number](float x) { return x - number; })
                         : Map(array, to, [number](float x) { return number - x; });
    case ByNumberOperator::kMultiply:
      return array_first ? Map(array, to, [number](float x) { return x * number; })
                         : Map(array, to, [number](float x) { return number * x; });
    case ByNumberOperator::kDivide:
      return array_first ? Map(array, to, [number](float x) { return x / number; })
                         : Map(array, to, [number](float x) { return number / x; });
  }
}

}  // namespace

std::optional<ByNumberOperator> ByNumberOperatorOf(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

std::string WhyNotByNumber(const OwnCall& call, absl::Span<const OperandType> operands,
                           OperandType result) {
  constexpr auto kLast = static_cast<int64_t>(ByNumberOperator::kDivide);
  if (call.numbers.size() != 1 || call.numbers[0] < 0 || call.numbers[0] > kLast) {
    return "it takes other numbers";
  }
  if (operands.size() != 2 || IsArray(operands[0]) == IsArray(operands[1]) ||
      IsNumber(operands[0]) == IsNumber(operands[1])) {
    return "it takes a float32 array and a float64 number";
  }
  const OperandType array = IsArray(operands[0]) ? operands[0] : operands[1];
  if (result.dtype != DType::kFloat32 || result.rank != array.rank) {
    return "its result is of another type";
  }
  return "";
}

absl::Status RunByNumber(const OwnCall& call, absl::Span<const StridedView> operands,
                         const StridedView& result) {
  const bool array_first = operands[0].rank > 0;
  double number = 0;
  std::memcpy(&number, operands[array_first ? 1 : 0].data, sizeof number);
  if (std::isfinite(number) && std::fabs(number) >= kBeyondSingle) {
    return absl::AbortedError(
        absl::StrCat("the number ", number, " is beyond float32: NumPy gives float64 with it"));
  }
  Apply(static_cast<ByNumberOperator>(call.numbers[0]), array_first, operands[array_first ? 0 : 1],
        static_cast<float>(number), reinterpret_cast<float*>(result.data));
  return absl::OkStatus();
}

}  // namespace dynacc::cpu
