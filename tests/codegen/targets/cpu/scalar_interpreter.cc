#include "tests/codegen/targets/cpu/scalar_interpreter.h"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/base/check.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {
namespace {

// An element of any dtype, in its first bytes.
using Cell = uint64_t;

template <typename T>
T Read(Cell cell) {
  T value;
  std::memcpy(&value, &cell, sizeof(T));
  return value;
}
template <typename T>
Cell Write(T value) {
  Cell cell = 0;
  std::memcpy(&cell, &value, sizeof(T));
  return cell;
}

// Calls f with a value of the dtype's C++ type, if that is one of the language's own.
template <typename F>
Cell WithType(DType dtype, F f) {
  switch (dtype) {
#define DYNACC_DTYPE(name, text, type, kind, numpy)             \
  case DType::k##name:                                          \
    if constexpr (std::is_arithmetic_v<type>) return f(type{}); \
    break;
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  }
  return 0;
}

// Integers as unsigned of at least 32 bits, so that arithmetic wraps around.
template <typename T>
auto Wrapping(T value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<uint64_t>(value);
  } else {
    return value;
  }
}

template <typename T>
Cell Arithmetic(Op op, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    if (op == Op::kAdd) return Write<T>(a || b);
    if (op == Op::kMultiply) return Write<T>(a && b);
  } else {
    if (op == Op::kAdd) return Write<T>(static_cast<T>(Wrapping(a) + Wrapping(b)));
    if (op == Op::kSubtract) return Write<T>(static_cast<T>(Wrapping(a) - Wrapping(b)));
    if (op == Op::kMultiply) return Write<T>(static_cast<T>(Wrapping(a) * Wrapping(b)));
    if (op == Op::kSquare) return Write<T>(static_cast<T>(Wrapping(a) * Wrapping(a)));
    if (op == Op::kNegative && std::is_floating_point_v<T>) return Write<T>(-a);
    if (op == Op::kNegative) return Write<T>(static_cast<T>(0 - Wrapping(a)));
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (op == Op::kDivide) return Write<T>(a / b);
    if (op == Op::kSqrt) return Write<T>(std::sqrt(a));
    if (op == Op::kFloor) return Write<T>(std::floor(a));
    if (op == Op::kRint) return Write<T>(std::rint(a));
    if (op == Op::kCopysign) return Write<T>(std::copysign(a, b));
    if (op == Op::kIsNan) return Write<bool>(std::isnan(a));
  }
  if (op == Op::kMaximum) return Write<T>(std::isnan(static_cast<double>(a)) || a > b ? a : b);
  if (op == Op::kMinimum) return Write<T>(std::isnan(static_cast<double>(a)) || a < b ? a : b);
  if (op == Op::kLess) return Write<bool>(a < b);
  if (op == Op::kLessEqual) return Write<bool>(a <= b);
  if (op == Op::kEqual) return Write<bool>(a == b);
  if (op == Op::kNotEqual) return Write<bool>(a != b);
  if (op == Op::kLogicalAnd) return Write<bool>(a != T(0) && b != T(0));
  if (op == Op::kLogicalNot) return Write<bool>(a == T(0));
  if (op == Op::kBitwiseXor) {
    if constexpr (std::is_integral_v<T>) return Write<T>(static_cast<T>(a ^ b));
  }
  DYNACC_CHECK(false) << "the interpreter does not know " << dynacc::Info(op).text;
  return 0;
}

// Conversions that C++ defines, and the x86 ones for floats to int32 and int64.
template <typename To, typename From>
Cell Convert(From a) {
  if constexpr (std::is_same_v<To, bool>) {
    return Write<bool>(a != From(0));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    static_assert(sizeof(To) >= 1);
    const double limit = sizeof(To) == 8 ? 9223372036854775808.0 : 2147483648.0;
    const bool fits = a >= -limit && a < limit;
    return Write<To>(
        static_cast<To>(fits ? static_cast<int64_t>(a) : static_cast<int64_t>(-limit)));
  } else {
    return Write<To>(static_cast<To>(a));
  }
}

Cell CallLibrary(const kernel::KernelStep& step, Cell a, Cell b) {
  const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(step.op), step.dtype);
  Cell result = 0;
  char* unary[] = {reinterpret_cast<char*>(&a), reinterpret_cast<char*>(&result)};
  char* binary[] = {reinterpret_cast<char*>(&a), reinterpret_cast<char*>(&b),
                    reinterpret_cast<char*>(&result)};
  const intptr_t one = 1, steps[] = {8, 8, 8};
  loop.fn(step.b < 0 ? unary : binary, &one, steps, loop.data);
  return result;
}

Cell Evaluate(const kernel::KernelStep& step, const std::vector<Cell>& values) {
  const Cell a = values[step.a], b = step.b < 0 ? a : values[step.b];
  if (step.library) return CallLibrary(step, a, b);
  if (step.op == Op::kWhere) return Read<bool>(a) ? b : values[step.c];
  return WithType(step.dtype, [&](auto type) {
    using T = decltype(type);
    if (step.op != Op::kCast) return Arithmetic<T>(step.op, Read<T>(a), Read<T>(b));
    return WithType(step.result, [&](auto to) { return Convert<decltype(to)>(Read<T>(a)); });
  });
}

}  // namespace

void InterpretKernel(const kernel::Kernel& kernel, char* const* pointers, const int64_t* strides,
                     int64_t n) {
  const size_t inputs = kernel.inputs.size();
  for (int64_t i = 0; i < n; ++i) {
    std::vector<Cell> values;
    for (size_t k = 0; k < inputs; ++k) {
      Cell cell = 0;
      std::memcpy(&cell, pointers[k] + i * strides[k], ItemSize(kernel.inputs[k]));
      values.push_back(cell);
    }
    for (const kernel::KernelStep& step : kernel.steps) values.push_back(Evaluate(step, values));
    for (size_t k = 0; k < kernel.outputs.size(); ++k) {
      const int value = kernel.outputs[k];
      std::memcpy(pointers[inputs + k] + i * strides[inputs + k], &values[value],
                  ItemSize(kernel.DTypeOf(value)));
    }
  }
}

}  // namespace dynacc::cpu
