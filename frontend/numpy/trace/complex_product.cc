#include "frontend/numpy/trace/complex_product.h"

#include <array>
#include <cmath>

#include "absl/algorithm/container.h"
#include "frontend/numpy/trace/bit_exactness.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::numpy {
namespace {

constexpr int kSamples = 8;
using Sample = std::array<Complex128, 2 * kSamples>;

// Factors whose products need rounding.
Sample Factors(double seed) {
  Sample factors;
  for (size_t i = 0; i < factors.size(); ++i) {
    const double phase = seed + static_cast<double>(i);
    factors[i] = {std::sqrt(phase), std::cos(phase)};
  }
  return factors;
}

// Whether NumPy's loop, on every `step`-th factor, does what `op` does.
bool LoopDoes(Op op, int step) {
  const kernel::LibraryLoop loop =
      kernel::FindLibraryLoop(static_cast<int>(Op::kMultiply), DType::kComplex128);
  if (!loop) return false;
  Sample a = Factors(2.0);
  Sample b = Factors(3.0);
  std::array<Complex128, kSamples> products = {};
  char* args[] = {reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data()),
                  reinterpret_cast<char*>(products.data())};
  const intptr_t count = kSamples;
  const intptr_t size = sizeof(Complex128);
  const intptr_t steps[] = {step * size, step * size, size};
  loop.fn(args, &count, steps, loop.data);
  const BinaryElementFn multiply = FindBinaryElementFn(op, DType::kComplex128);
  for (int i = 0; i < kSamples; ++i) {
    Complex128 expected;
    multiply(&a[i * step], &b[i * step], &expected);
    if (expected != products[i]) return false;
  }
  return true;
}

// One rounding of products throughout; two, as operands lie; always the fused one (NumPy 2).
enum class Forms { kOne, kTwo, kFused, kOther };

Forms FormsOfLoop() {
  static const Forms forms = [] {
    if (ProductsAreFused(DType::kComplex128)) return Forms::kFused;
    if (!LoopDoes(Op::kMultiply, 1)) return Forms::kOther;
    if (LoopDoes(Op::kMultiply, 2)) return Forms::kOne;
    return LoopDoes(Op::kMultiplyFused, 2) ? Forms::kTwo : Forms::kOther;
  }();
  return forms;
}

// Whether only a run tells how many elements there are, in a graph that is run for all of them:
// those of one and two elements have NumPy's last digits or not.
bool HasAnySize(symbolic::TraceContext& trace, const Shape& shape) {
  return trace.has_free_orders() &&
         absl::c_any_of(shape.ids, [&](ScalarId size) { return trace.IsDataDependent(size); });
}

bool IsOneElement(symbolic::TraceContext& trace, const Shape& shape) {
  if (HasAnySize(trace, shape)) return false;
  const Size one = ConstantSize(trace, 1);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!IsEqual(trace, shape.at(axis), one)) return false;
  }
  return true;
}

bool IsOneOrTwo(symbolic::TraceContext& trace, const Shape& shape) {
  if (HasAnySize(trace, shape)) return false;
  const Size one = ConstantSize(trace, 1);
  const Size two = ConstantSize(trace, 2);
  bool has_two = false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (IsEqual(trace, shape.at(axis), one)) continue;
    if (has_two || !IsEqual(trace, shape.at(axis), two)) return false;
    has_two = true;
  }
  return true;
}

bool IsProduct(const ir::Node* node) {
  const bool has_forms = node->dtype == DType::kComplex128 || ProductsAreFused(node->dtype);
  return node->op == Op::kMultiply && has_forms;
}

// Of arrays and scalars whose result has axes. An operand of one element is read again and again,
// with a stride of 0. Other operands that NumPy's iterator cannot walk in one stride are copied
// into buffers, which have no gaps.
absl::StatusOr<Op> FormOfArrays(symbolic::TraceContext& trace, absl::Span<const Operand> operands,
                                const Shape& shape) {
  const bool is_short = IsOneOrTwo(trace, shape);
  const bool is_one = is_short && IsOneElement(trace, shape);
  bool has_number = false;
  bool in_c_order = true;
  for (const Operand& operand : operands) {
    const bool is_number = is_one ? !operand.is_array() : IsOneElement(trace, operand.shape);
    has_number = has_number || is_number;
    in_c_order = in_c_order &&
                 (is_number || trace.has_free_orders() || RequireCOrder(trace, operand.tensor));
  }
  if (!in_c_order && (shape.rank() > 1 || !has_number)) {
    return symbolic::GraphBreak("a complex product of arrays that are not known to be contiguous");
  }
  if (has_number) return Op::kMultiplyFused;
  if (is_short) return symbolic::GraphBreak("a product of one or two complex numbers");
  return Op::kMultiply;
}

// Of one element NumPy's iterator gives the result no stride where it casts an operand, and the
// loop takes that for a reduction.
absl::StatusOr<Op> FusedForm(symbolic::TraceContext& trace, const Shape& shape) {
  return IsOneElement(trace, shape) ? symbolic::GraphBreak("a product of one complex number")
                                    : absl::StatusOr<Op>(Op::kMultiplyFused);
}

}  // namespace

absl::StatusOr<Op> ProductForm(symbolic::TraceContext& trace, Op op,
                               absl::Span<const Operand> operands, const Prepared& prepared) {
  const DType dtype = prepared.nodes[0]->dtype;
  if (op != Op::kMultiply || !IsComplex(dtype)) return op;
  const Forms forms = ProductsAreFused(dtype) ? Forms::kFused : FormsOfLoop();
  if (forms == Forms::kOne || (forms != Forms::kFused && dtype != DType::kComplex128)) return op;
  if (forms == Forms::kOther)
    return symbolic::GraphBreak("a complex product as NumPy computes it here");
  if (prepared.shape.rank() > 0) {
    if (forms == Forms::kFused) return FusedForm(trace, prepared.shape);
    return FormOfArrays(trace, operands, prepared.shape);
  }
  return absl::c_all_of(operands, [](const Operand& each) { return each.is_plain_scalar(); })
             ? op
             : Op::kMultiplyFused;
}

bool HasTwoProducts() { return FormsOfLoop() == Forms::kTwo || FormsOfLoop() == Forms::kFused; }

bool ProductHasOrder(DType dtype) {
  if (dtype == DType::kComplex128) return FormsOfLoop() != Forms::kOne;
  return dtype == DType::kComplex64 && BitsOfLoop(Op::kMultiply, dtype) != LoopBits::kAsKernels;
}

const ir::Node* InPlaceProduct(const ir::Node* result, bool right, symbolic::TraceContext& trace) {
  const bool has_order = result->op == Op::kMultiplyFused && right;
  if (!has_order && (!IsProduct(result) || !HasTwoProducts())) return result;
  return trace.graph().Binary(Op::kMultiplyFused, result->operands[right ? 1 : 0],
                              result->operands[right ? 0 : 1]);
}

absl::Status RefuseStoredProduct(const symbolic::TraceContext& trace, const NumpyTensor* result) {
  const bool is_refused = result->node->op == Op::kMultiplyFused && !trace.is_differentiated() &&
                          ProductsAreFused(result->node->dtype);
  return is_refused ? symbolic::GraphBreak("a complex product stored by its own loop")
                    : absl::OkStatus();
}

absl::Status RequireRoundingOfCall(symbolic::TraceContext& trace,
                                   absl::Span<symbolic::Value* const> operands,
                                   const symbolic::Value* out, NumpyTensor* result) {
  const bool is_magnitude =
      result->node->op == Op::kAbsolute && IsComplex(result->node->operands[0]->dtype);
  if (is_magnitude && out != nullptr)
    return symbolic::GraphBreak("stored magnitudes of complex numbers");
  const ir::Node* const in_place = InPlaceProduct(result->node, /*right=*/false, trace);
  if (in_place == result->node) return absl::OkStatus();
  if (result->node->rank() == 0) {
    result->node = in_place;
  } else if (out != nullptr && !absl::c_linear_search(operands, out) &&
             !trace.is_differentiated()) {
    return symbolic::GraphBreak("a complex product stored into another array");
  }
  return absl::OkStatus();
}

}  // namespace dynacc::numpy
