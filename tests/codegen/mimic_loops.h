// Registers loops of numpy_like_loops.h as the library loops of some ops.
#pragma once

#include <concepts>
#include <type_traits>

#include "runtime/ops/op.h"
#include "tests/runtime/executor/numpy_like_loops.h"

namespace dynacc::testing {

inline void Register(Op op, DType dtype, kernel::LibraryLoopFn fn) {
  kernel::RegisterLibraryLoop(static_cast<int>(op), dtype, {fn, nullptr});
}

// The type in which arithmetic of NumPy's integers wraps around.
template <typename T>
struct WrappingType {
  using Type = T;
};
template <std::integral T>
struct WrappingType<T> {
  using Type = std::make_unsigned_t<T>;
};

template <typename T>
void RegisterFor(DType dtype) {
  using W = typename WrappingType<T>::Type;
  Register(Op::kAdd, dtype, AddLoop<W>);
  Register(Op::kReduceSum, dtype, AddLoop<W>);
  Register(Op::kSubtract, dtype, BinaryLoop<W, [](W a, W b) { return a - b; }>);
  const auto multiply = BinaryLoop<W, [](W a, W b) { return a * b; }>;
  Register(Op::kMultiply, dtype, multiply);
  Register(Op::kReduceProd, dtype, multiply);
  const auto maximum = BinaryLoop<T, [](T a, T b) { return a >= b ? a : b; }>;
  Register(Op::kMaximum, dtype, maximum);
  Register(Op::kReduceMax, dtype, maximum);
  Register(Op::kNegative, dtype, UnaryLoop<W, [](W a) { return -a; }>);
  Register(Op::kLess, dtype, BinaryLoop<T, [](T a, T b) { return a < b; }, bool>);
  Register(Op::kMatmul, dtype, MatmulLoop<W>);
}

inline void RegisterMimicLoops() {
  RegisterFor<double>(DType::kFloat64);
  RegisterFor<float>(DType::kFloat32);
  RegisterFor<int64_t>(DType::kInt64);
  const auto divide = [](auto a, auto b) { return a / b; };
  Register(Op::kDivide, DType::kFloat64, BinaryLoop<double, divide>);
  Register(Op::kSqrt, DType::kFloat64, UnaryLoop<double, [](double a) { return std::sqrt(a); }>);
  Register(Op::kExp, DType::kFloat64, UnaryLoop<double, [](double a) { return std::exp(a); }>);
  const auto any = BinaryLoop<bool, [](bool a, bool b) { return a || b; }>;
  Register(Op::kLogicalOr, DType::kBool, any);
  Register(Op::kReduceAny, DType::kBool, any);
}

}  // namespace dynacc::testing
