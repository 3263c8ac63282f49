#include "runtime/cpu/own/own_loops.h"

#include <array>
#include <cstring>

#include "runtime/cpu/loops/pairwise_sum.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/cpu/own/own_exponentials.h"
#include "runtime/cpu/tiles/element_loops.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::cpu {
namespace {

// --- Elementwise, by the op's element function. `data` of a loop points to it.

void RunUnary(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  const auto function = *static_cast<const UnaryElementFn*>(data);
  char* from = args[0];
  char* to = args[1];
  for (intptr_t i = 0; i < sizes[0]; ++i, from += steps[0], to += steps[1]) function(from, to);
}

// Also for a reduction that is not done in another way: args[0] and args[2] are then the same.
void RunBinary(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  const auto function = *static_cast<const BinaryElementFn*>(data);
  char *a = args[0], *b = args[1], *to = args[2];
  for (intptr_t i = 0; i < sizes[0]; ++i, a += steps[0], b += steps[1], to += steps[2]) {
    function(a, b, to);
  }
}

struct ElementFunctions {
  std::array<std::array<UnaryElementFn, kNumDTypes>, 256> unary = {};
  std::array<std::array<BinaryElementFn, kNumDTypes>, 256> binary = {};
};

const ElementFunctions& TheFunctions() {
  static const ElementFunctions& functions = *[] {
    auto* const made = new ElementFunctions;
    for (int op = 0; op < NumOps(); ++op) {
      for (int dtype = 0; dtype < kNumDTypes; ++dtype) {
        made->unary[op][dtype] = FindUnaryElementFn(static_cast<Op>(op), static_cast<DType>(dtype));
        made->binary[op][dtype] =
            FindBinaryElementFn(static_cast<Op>(op), static_cast<DType>(dtype));
      }
    }
    return made;
  }();
  return functions;
}

template <typename Function>
void* DataOf(const Function& function) {
  return const_cast<void*>(static_cast<const void*>(&function));
}

kernel::LibraryLoop ByElement(Op op, DType dtype) {
  const ElementFunctions& functions = TheFunctions();
  const auto at = static_cast<size_t>(op);
  const UnaryElementFn& unary = functions.unary[at][static_cast<int>(dtype)];
  if (unary != nullptr) return {&RunUnary, DataOf(unary)};
  const BinaryElementFn& binary = functions.binary[at][static_cast<int>(dtype)];
  if (binary != nullptr) return {&RunBinary, DataOf(binary)};
  return {};
}

// --- Reductions.

// The binary op that each reduction repeats.
struct ReductionRow {
  Op reduction;
  Op repeated;
};
constexpr ReductionRow kReductions[] = {
    {Op::kReduceSum, Op::kAdd},       {Op::kReduceProd, Op::kMultiply},
    {Op::kReduceMax, Op::kMaximum},   {Op::kReduceMin, Op::kMinimum},
    {Op::kReduceAny, Op::kLogicalOr}, {Op::kReduceAll, Op::kLogicalAnd}};

bool IsReducing(char** args, const intptr_t* steps) {
  return args[0] == args[2] && steps[0] == 0 && steps[2] == 0;
}

template <typename T>
T At(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

// As NumPy adds up a run (pairwise_sum.h says how).
template <typename T>
T PairwiseSum(const char* data, int64_t n, int64_t stride) {
  if (n < 8) {
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += At<T>(data + i * stride);
    return sum;
  }
  if (const int64_t half = PairwiseHalf(n); half != 0) {
    return PairwiseSum<T>(data, half, stride) +
           PairwiseSum<T>(data + half * stride, n - half, stride);
  }
  T sums[8];
  for (int lane = 0; lane < 8; ++lane) sums[lane] = At<T>(data + lane * stride);
  int64_t i = 8;
  for (; i < n - n % 8; i += 8) {
    for (int lane = 0; lane < 8; ++lane) sums[lane] += At<T>(data + (i + lane) * stride);
  }
  T sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < n; ++i) sum += At<T>(data + i * stride);
  return sum;
}

template <typename T>
void RunSum(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  if (!IsReducing(args, steps)) return RunBinary(args, sizes, steps, data);
  const T sum = At<T>(args[0]) + PairwiseSum<T>(args[1], sizes[0], steps[1]);
  std::memcpy(args[0], &sum, sizeof sum);
}

// Of two zeros the second, as NumPy's vectors choose, and a NaN if there is one.
template <typename T, bool kGreatest>
void RunExtreme(char** args, const intptr_t* sizes, const intptr_t* steps, void*) {
  const char *a = args[0], *b = args[1];
  char* to = args[2];
  for (intptr_t i = 0; i < sizes[0]; ++i, a += steps[0], b += steps[1], to += steps[2]) {
    const T x = At<T>(a), y = At<T>(b);
    const T chosen = (kGreatest ? x > y : x < y) || x != x ? x : y;
    std::memcpy(to, &chosen, sizeof chosen);
  }
}

template <typename T>
kernel::LibraryLoopFn ExtremeLoop(Op op) {
  if (op == Op::kMaximum) return &RunExtreme<T, true>;
  return op == Op::kMinimum ? &RunExtreme<T, false> : nullptr;
}

// fmax and fmin by vectors, which choose the second of two zeros: the first one's form is the op's.
template <typename T, bool kGreatest>
void RunExtremeOfNumbers(char** args, const intptr_t* sizes, const intptr_t* steps, void*) {
  const char *a = args[0], *b = args[1];
  char* to = args[2];
  for (intptr_t i = 0; i < sizes[0]; ++i, a += steps[0], b += steps[1], to += steps[2]) {
    const T x = At<T>(a), y = At<T>(b);
    const T chosen = (kGreatest ? x > y : x < y) || y != y ? x : y;
    std::memcpy(to, &chosen, sizeof chosen);
  }
}

kernel::LibraryLoop ExtremeOfNumbersLoop(Op op, DType dtype) {
  const bool is_greatest = op == Op::kFmax;
  if (!is_greatest && op != Op::kFmin) return {};
  if (dtype == DType::kFloat32) {
    return {is_greatest ? &RunExtremeOfNumbers<float, true> : &RunExtremeOfNumbers<float, false>,
            nullptr};
  }
  if (dtype != DType::kFloat64) return {};
  return {is_greatest ? &RunExtremeOfNumbers<double, true> : &RunExtremeOfNumbers<double, false>,
          nullptr};
}

kernel::LibraryLoop ReductionLoop(Op repeated, DType dtype) {
  const kernel::LibraryLoop loop = ByElement(repeated, dtype);
  const kernel::LibraryLoopFn extreme = dtype == DType::kFloat32   ? ExtremeLoop<float>(repeated)
                                        : dtype == DType::kFloat64 ? ExtremeLoop<double>(repeated)
                                                                   : nullptr;
  if (extreme != nullptr) return {extreme, nullptr};
  if (repeated != Op::kAdd || !IsInexact(dtype)) return loop;
  if (dtype == DType::kFloat32) return {&RunSum<float>, loop.data};
  if (dtype == DType::kFloat64) return {&RunSum<double>, loop.data};
  return {};  // NumPy adds halves in float32, and parts of complex numbers side by side
}

}  // namespace

kernel::LibraryLoop OwnLoop(Op op, DType dtype, int form) {
  if (op == Op::kExp && dtype == DType::kFloat32 && form < 2) {
    return ExponentialLoop(static_cast<QuotientRounding>(form));
  }
  if (form == 1) return ExtremeOfNumbersLoop(op, dtype);
  if (form != 0) return {};
  if (op == Op::kMatmul) return InOrderMatmul(dtype);
  for (const ReductionRow& row : kReductions) {
    if (row.reduction == op) return ReductionLoop(row.repeated, dtype);
  }
  if (op == Op::kMaximum || op == Op::kMinimum) return ReductionLoop(op, dtype);
  if (const kernel::LibraryLoop loop = ElementLoop(op, dtype)) return loop;
  return ByElement(op, dtype);
}

kernel::LibraryLoop OwnLoop(Op op, DType dtype) { return OwnLoop(op, dtype, 0); }

}  // namespace dynacc::cpu
