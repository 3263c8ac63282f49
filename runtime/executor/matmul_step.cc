#include "runtime/executor/matmul_step.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/loop_nest.h"

namespace dynacc {
namespace {

// An operand's strides along the leading axes of a product with `leading` of them: 0 where the
// operand has none or is broadcast.
void LeadingStrides(const StridedView& operand, int leading, int64_t* strides) {
  const int missing = leading - (operand.rank - 2);
  for (int i = 0; i < leading; ++i) {
    const int axis = i - missing;
    strides[i] = axis < 0 || operand.shape[axis] == 1 ? 0 : operand.strides[axis];
  }
}

// Where `operand` lies. A Full is stored for it: with strides of 0 the loop would not take BLAS.
absl::StatusOr<const StridedView*> Operand(const RunFrame& frame, const OperandPlan& operand,
                                           StridedView& storage, ScratchBlock& stored) {
  if (!frame.IsFull(operand.buffer)) return &frame.Resolve(operand, storage);
  StridedView full = frame.view(operand.buffer);
  const int64_t bytes = std::max<int64_t>(full.size() * ItemSize(full.dtype), 1);
  if (!stored.Allocate(bytes)) {
    return absl::ResourceExhaustedError("no memory for an operand of a matrix product");
  }
  full.data = stored.data();
  SetContiguousStrides(full);
  CopyElements(frame.view(operand.buffer), full);
  return &frame.ResolveFull(operand, stored.data(), storage);
}

}  // namespace

absl::Status MatmulStep::Run(RunFrame& frame) const {
  StridedView storage_a, storage_b;
  ScratchBlock stored_a, stored_b;
  DYNACC_ASSIGN_OR_RETURN(const StridedView* view_a, Operand(frame, a_, storage_a, stored_a));
  DYNACC_ASSIGN_OR_RETURN(const StridedView* view_b, Operand(frame, b_, storage_b, stored_b));
  const StridedView& a = *view_a;
  const StridedView& b = *view_b;
  const int leading = frame.shape_plan(output_).rank - 2;
  int64_t strides_a[kMaxRank], strides_b[kMaxRank];
  LeadingStrides(a, leading, strides_a);
  LeadingStrides(b, leading, strides_b);
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  const StridedView& out = frame.view(output_);
  frame.CountExtern();
  if (out.size() == 0) return absl::OkStatus();

  LoopNest nest;
  StartNest(nest, leading, out.shape);
  AddOperand(nest, a.data, strides_a);
  AddOperand(nest, b.data, strides_b);
  AddOperand(nest, out.data, out.strides);
  OptimizeNest(nest);
  const int ra = a.rank, rb = b.rank, ro = out.rank;
  ForEachRun(nest, [&](char* const* pointers, const int64_t* outer, int64_t n) {
    char* args[] = {pointers[0], pointers[1], pointers[2]};
    const intptr_t sizes[] = {n, a.shape[ra - 2], a.shape[ra - 1], b.shape[rb - 1]};
    const intptr_t steps[] = {
        outer[0],           outer[1],          outer[2],          a.strides[ra - 2],
        a.strides[ra - 1],  b.strides[rb - 2], b.strides[rb - 1], out.strides[ro - 2],
        out.strides[ro - 1]};
    loop_.fn(args, sizes, steps, loop_.data);
  });
  return absl::OkStatus();
}

}  // namespace dynacc
