#include "runtime/executor/int_operation.h"

#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

#include "runtime/tensor/element_types.h"

namespace dynacc::executor {
namespace {

constexpr IntOperatorInfo kOperators[] = {
#define DYNACC_INT_OPERATOR(Name, name, operands, result) {name, operands},
#include "runtime/executor/int_operators.def"
#undef DYNACC_INT_OPERATOR
};

// Holds every int of 64 bits, with or without sign, and what is made of two by one operation but
// products.
__extension__ using Wide = __int128;
__extension__ using Bits = unsigned __int128;
using Result = std::optional<Wide>;

constexpr int kMaxShift = 63;

Result Multiplied(Wide a, Wide b) {
  Wide product;
  return __builtin_mul_overflow(a, b, &product) ? Result() : product;
}

// Rounded down, as Python has it.
Result Quotient(Wide a, Wide b) {
  if (b == 0) return std::nullopt;
  return a / b - Wide{a % b != 0 && (a < 0) != (b < 0)};
}

// With the divisor's sign.
Result Remainder(Wide a, Wide b) {
  if (b == 0) return std::nullopt;
  const Wide rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Result Power(Wide base, Wide exponent) {
  if (exponent < 0) return std::nullopt;
  Result power = 1, square = base;
  for (; exponent != 0; exponent >>= 1) {
    if (!square) return std::nullopt;
    if ((exponent & 1) != 0) power = Multiplied(*power, *square);
    if (!power) return std::nullopt;
    square = Multiplied(*square, *square);
  }
  return power;
}

Result ShiftedLeft(Wide a, Wide b) {
  if (b < 0 || b > kMaxShift) return std::nullopt;
  return Multiplied(a, Wide{1} << static_cast<int>(b));
}

Result ShiftedRight(Wide a, Wide b) {
  if (b < 0 || b > kMaxShift) return std::nullopt;
  return a >> static_cast<int>(b);
}

// What an operator gives where it wraps and the exact result is none: the low bits are right.
Result Wrapped(IntOperation::Operator op, Wide a, Wide b) {
  using Operator = IntOperation::Operator;
  switch (op) {
    case Operator::kMultiply:
      return static_cast<Wide>(static_cast<Bits>(a) * static_cast<Bits>(b));
    case Operator::kFloorDivide:
    case Operator::kRemainder:
    case Operator::kLeftShift:
      return 0;
    case Operator::kRightShift:
      return a < 0 ? -1 : 0;
    case Operator::kPower: {
      if (b < 0) return std::nullopt;
      Bits power = 1, square = static_cast<Bits>(a);
      for (; b != 0; b >>= 1, square *= square) {
        if ((b & 1) != 0) power *= square;
      }
      return static_cast<Wide>(power);
    }
    default:
      return std::nullopt;
  }
}

using Compute = Result (*)(Wide a, Wide b);
constexpr Compute kCompute[] = {
#define DYNACC_INT_OPERATOR(Name, name, operands, result) \
  [](Wide a, [[maybe_unused]] Wide b) -> Result { return result; },
#include "runtime/executor/int_operators.def"
#undef DYNACC_INT_OPERATOR
};

// What a dtype of ints can do: read an element, tell whether it holds a number, and write one.
struct IntAccess {
  Wide (*read)(const char* element) = nullptr;
  bool (*holds)(Wide number) = nullptr;
  void (*write)(Wide number, char* element) = nullptr;
};

// A byte of a bool may be any number that views of other dtypes have put there.
template <typename T>
Wide Read(const char* element) {
  if constexpr (std::is_same_v<T, bool>) return Wide{*element != 0};
  return Wide{*reinterpret_cast<const T*>(element)};
}

template <typename T>
constexpr IntAccess AccessOf() {
  if constexpr (!std::is_integral_v<T>) {
    return {};
  } else {
    return {&Read<T>,
            [](Wide number) {
              return number >= std::numeric_limits<T>::min() &&
                     number <= std::numeric_limits<T>::max();
            },
            [](Wide number, char* element) {
              *reinterpret_cast<T*>(element) = static_cast<T>(number);
            }};
  }
}

constexpr IntAccess kAccess[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) AccessOf<type>(),
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

const IntAccess& AccessFor(DType dtype) { return kAccess[static_cast<int>(dtype)]; }

}  // namespace

const IntOperatorInfo& Info(IntOperation::Operator op) { return kOperators[static_cast<int>(op)]; }

int NumIntOperators() { return static_cast<int>(std::size(kOperators)); }

bool HoldsInts(DType dtype) { return AccessFor(dtype).read != nullptr; }

bool ComputeInt(const IntOperation& operation, absl::Span<const StridedView> operands, DType result,
                char* to) {
  const IntAccess& access = AccessFor(result);
  Wide numbers[2] = {};
  Wide* next = numbers;
  for (const IntOperation::Argument& argument : operation.arguments) {
    *next = argument.number;
    if (argument.operand >= 0) {
      const StridedView& view = operands[argument.operand];
      *next = AccessFor(view.dtype).read(view.data);
    }
    if (!access.holds(*next++)) return false;
  }
  Result number = kCompute[static_cast<int>(operation.op)](numbers[0], numbers[1]);
  if (!number && operation.wraps) number = Wrapped(operation.op, numbers[0], numbers[1]);
  if (!number || (!operation.wraps && !access.holds(*number))) return false;
  access.write(*number, to);
  return true;
}

}  // namespace dynacc::executor
