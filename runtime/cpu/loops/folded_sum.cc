#include "runtime/cpu/loops/folded_sum.h"

#include "runtime/base/check.h"
#include "runtime/cpu/loops/pairwise_sum.h"
#include "runtime/cpu/loops/reduce_levels.h"

namespace dynacc::cpu {

FoldedRun::FoldedRun(int64_t n) : n(n) {
  DYNACC_CHECK(n >= kFoldTail && n <= kMaxTerms) << n << " terms";
  Split(0, n);
  kernel::FoldBlock& last = blocks[count - 1];
  tail = static_cast<int>(n % 8);
  last.end -= tail;
  int64_t length = n;
  while (length > 128 && length % 16 == 0) length /= 2;
  is_full = length <= 128;
}

void FoldedRun::Split(int64_t begin, int64_t end) {
  const int64_t half = PairwiseHalf(end - begin);
  if (half == 0) {
    blocks[count++] = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
    return;
  }
  Split(begin, begin + half);
  Split(begin + half, end);
}

FinishFoldedFn FindFinishFolded(DType dtype) {
  const FnsByType<FinishFoldedFn>& fns = ReduceFnsOfThisMachine().finish_folded;
  if (dtype == DType::kFloat64) return fns.float64;
  if (IsInteger64(dtype)) return ReduceFnsOfThisMachine().finish_folded_integers;
  return dtype == DType::kFloat32 ? fns.float32 : nullptr;
}

}  // namespace dynacc::cpu
