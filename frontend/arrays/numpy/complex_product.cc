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
  const LibraryLoop loop =
      FindLibraryLoop(static_cast<int>(Op::kMultiply), DType::kComplex128);
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

// The axis along which NumPy's loop runs over operands in C order: the last that has more than one
// element; -1 if none has.
int InnerAxis(TraceContext& trace, const Shape& shape) {
  const Size one = ConstantSize(trace, 1);
  int axis = shape.rank() - 1;
  while (axis >= 0 && IsEqual(trace, shape.at(axis), one)) --axis;
  return axis;
}

// Whether the loop finds the operand's elements side by side.
absl::StatusOr<bool> IsDenseAlong(TraceContext& trace, const Operand& operand, int axis) {
  if (!operand.is_array()) return false;
  if (!RequireCOrder(trace, operand.tensor)) {
    return GraphBreak("a complex product of arrays that are not known to be contiguous");
  }
  if (axis >= 0 && !IsEqual(trace, operand.shape.at(axis), ConstantSize(trace, 1))) return true;
  if (operand.dtype == DType::kComplex128) return false;
  return GraphBreak("a complex product of a broadcast array of another dtype");
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
  const int inner = InnerAxis(trace, prepared.shape);
  if (inner < 0) return op;
  bool dense = true;
  for (const Operand& operand : operands) {
    const int axis = inner - (prepared.shape.rank() - operand.shape.rank());
    DYNACC_ASSIGN_OR_RETURN(const bool is_dense, IsDenseAlong(trace, operand, axis));
    dense = dense && is_dense;
  }
  return dense ? op : Op::kMultiplyFused;
}

const Node* InPlaceProduct(TraceContext& trace, const NumpyTensor* target,
                           const NumpyTensor* result) {
  const Node* node = result->node;
  if (!IsProduct(node) || target->node->dtype != node->dtype || FormsOfLoop() != Forms::kTwo ||
      InnerAxis(trace, ShapeOf(target)) < 0) {
    return node;
  }
  return trace.graph().Binary(Op::kMultiplyFused, node->operands[0], node->operands[1]);
}

}  // namespace dynacc
