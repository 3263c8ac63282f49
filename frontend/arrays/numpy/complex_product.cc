#include "frontend/arrays/numpy/complex_product.h"

#include <array>
#include <cmath>
#include <cstring>

#include "codegen/ops/element_functions.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc {
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
  const LibraryLoop loop = FindLibraryLoop(static_cast<int>(Op::kMultiply), DType::kComplex128);
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
    if (std::memcmp(&expected, &products[i], sizeof(expected)) != 0) return false;
  }
  return true;
}

enum class Forms { kOne, kTwo, kOther };

Forms FormsOfLoop() {
  static const Forms forms = [] {
    if (!LoopDoes(Op::kMultiply, 1)) return Forms::kOther;
    if (LoopDoes(Op::kMultiply, 2)) return Forms::kOne;
    return LoopDoes(Op::kMultiplyFused, 2) ? Forms::kTwo : Forms::kOther;
  }();
  return forms;
}

bool IsOneElement(TraceContext& trace, const Shape& shape) {
  const Size one = ConstantSize(trace, 1);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!IsEqual(trace, shape.at(axis), one)) return false;
  }
  return true;
}

bool IsProduct(const Node* node) {
  return node->op == Op::kMultiply && node->dtype == DType::kComplex128;
}

}  // namespace

absl::StatusOr<Op> ProductForm(TraceContext& trace, Op op, absl::Span<const Operand> operands,
                               const Prepared& prepared) {
  if (op != Op::kMultiply || prepared.nodes[0]->dtype != DType::kComplex128) return op;
  const Forms forms = FormsOfLoop();
  if (forms == Forms::kOne) return op;
  if (forms == Forms::kOther) return GraphBreak("a complex product as NumPy computes it here");
  if (IsOneElement(trace, prepared.shape)) return op;
  // A single element is read again and again, with a stride of 0. Other operands that NumPy's
  // iterator cannot walk in one stride are copied into buffers, which have no gaps.
  bool has_number = false;
  bool in_c_order = true;
  for (const Operand& operand : operands) {
    const bool is_number = IsOneElement(trace, operand.shape);
    has_number = has_number || is_number;
    in_c_order = in_c_order && (is_number || RequireCOrder(trace, operand.tensor));
  }
  if (!in_c_order && (prepared.shape.rank() > 1 || !has_number)) {
    return GraphBreak("a complex product of arrays that are not known to be contiguous");
  }
  return has_number ? Op::kMultiplyFused : op;
}

const Node* InPlaceProduct(TraceContext& trace, const NumpyTensor* target,
                           const NumpyTensor* result) {
  const Node* node = result->node;
  if (!IsProduct(node) || target->node->dtype != node->dtype || FormsOfLoop() != Forms::kTwo ||
      IsOneElement(trace, ShapeOf(target))) {
    return node;
  }
  return trace.graph().Binary(Op::kMultiplyFused, node->operands[0], node->operands[1]);
}

}  // namespace dynacc
