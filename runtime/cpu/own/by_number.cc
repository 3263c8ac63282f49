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
    {"_operator.lt", ByNumberOperator::kLess},
    {"_operator.le", ByNumberOperator::kLessEqual},
    {"_operator.gt", ByNumberOperator::kGreater},
    {"_operator.ge", ByNumberOperator::kGreaterEqual},
    {"_operator.eq", ByNumberOperator::kEqual},
    {"_operator.ne", ByNumberOperator::kNotEqual},
    {"numpy.add", ByNumberOperator::kAdd},
    {"numpy.subtract", ByNumberOperator::kSubtract},
    {"numpy.multiply", ByNumberOperator::kMultiply},
    {"numpy.divide", ByNumberOperator::kDivide},
    {"numpy.true_divide", ByNumberOperator::kDivide},
    {"numpy.maximum", ByNumberOperator::kMaximum},
    {"numpy.minimum", ByNumberOperator::kMinimum},
    {"numpy.less", ByNumberOperator::kLess},
    {"numpy.less_equal", ByNumberOperator::kLessEqual},
    {"numpy.greater", ByNumberOperator::kGreater},
    {"numpy.greater_equal", ByNumberOperator::kGreaterEqual},
    {"numpy.equal", ByNumberOperator::kEqual},
    {"numpy.not_equal", ByNumberOperator::kNotEqual},
};

bool IsNumber(OperandType operand) { return operand.dtype == DType::kFloat64 && operand.rank == 0; }
bool IsArray(OperandType operand) { return operand.dtype == DType::kFloat32 && operand.rank > 0; }

// Writes f(element) for each element of an array, in C order.
template <typename T, typename F>
void Map(const StridedView& array, T* to, F f) {
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

// f(element, number), or the other way round, both in the number's type.
template <typename T, typename N, typename F>
void Map(const StridedView& array, bool array_first, N number, T* to, F f) {
  if (array_first) return Map(array, to, [=](N x) { return f(x, number); });
  Map(array, to, [=](N x) { return f(number, x); });
}

// Of zeros of two signs the second operand comes out, and of two NaNs the first.
void Compute(ByNumberOperator op, bool array_first, const StridedView& array, float number,
             float* to) {
  const auto map = [&](auto f) { Map(array, array_first, number, to, f); };
  switch (op) {
    case ByNumberOperator::kAdd:
      return map([](float a, float b) { return a + b; });
    case ByNumberOperator::kSubtract:
      return map([](float a, float b) { return a - b; });
    case ByNumberOperator::kMultiply:
      return map([](float a, float b) { return a * b; });
    case ByNumberOperator::kDivide:
      return map([](float a, float b) { return a / b; });
    case ByNumberOperator::kMaximum:
      return map([](float a, float b) { return a > b || std::isnan(a) ? a : b; });
    default:
      return map([](float a, float b) { return a < b || std::isnan(a) ? a : b; });
  }
}

template <typename N>
void Compare(ByNumberOperator op, bool array_first, const StridedView& array, N number, bool* to) {
  const auto map = [&](auto f) { Map(array, array_first, number, to, f); };
  switch (op) {
    case ByNumberOperator::kLess:
      return map([](N a, N b) { return a < b; });
    case ByNumberOperator::kLessEqual:
      return map([](N a, N b) { return a <= b; });
    case ByNumberOperator::kGreater:
      return map([](N a, N b) { return a > b; });
    case ByNumberOperator::kGreaterEqual:
      return map([](N a, N b) { return a >= b; });
    case ByNumberOperator::kEqual:
      return map([](N a, N b) { return a == b; });
    default:
      return map([](N a, N b) { return a != b; });
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
  constexpr auto kLast = static_cast<int64_t>(ByNumberOperator::kNotEqual);
  if (call.numbers.size() != 1 || call.numbers[0] < 0 || call.numbers[0] > kLast) {
    return "it takes other numbers";
  }
  if (operands.size() != 2 || IsArray(operands[0]) == IsArray(operands[1]) ||
      IsNumber(operands[0]) == IsNumber(operands[1])) {
    return "it takes a float32 array and a float64 number";
  }
  const OperandType array = IsArray(operands[0]) ? operands[0] : operands[1];
  const bool compares = call.numbers[0] >= static_cast<int64_t>(ByNumberOperator::kLess);
  if (result.dtype != (compares ? DType::kBool : DType::kFloat32) || result.rank != array.rank) {
    return "its result is of another type";
  }
  return "";
}

absl::Status RunByNumber(const OwnCall& call, absl::Span<const StridedView> operands,
                         const StridedView& result) {
  const auto op = static_cast<ByNumberOperator>(call.numbers[0]);
  const bool array_first = operands[0].rank > 0;
  const StridedView& array = operands[array_first ? 0 : 1];
  double number = 0;
  std::memcpy(&number, operands[array_first ? 1 : 0].data, sizeof number);
  const bool is_beyond = std::isfinite(number) && std::fabs(number) >= kBeyondSingle;
  const bool compares = op >= ByNumberOperator::kLess;
  if (is_beyond && !compares) {
    return absl::AbortedError(
        absl::StrCat("the number ", number, " is beyond float32: NumPy gives float64 with it"));
  }
  auto* const bools = reinterpret_cast<bool*>(result.data);
  if (is_beyond) {
    Compare(op, array_first, array, number, bools);
  } else if (compares) {
    Compare(op, array_first, array, static_cast<float>(number), bools);
  } else {
    Compute(op, array_first, array, static_cast<float>(number),
            reinterpret_cast<float*>(result.data));
  }
  return absl::OkStatus();
}

}  // namespace dynacc::cpu
