#include "runtime/executor/matmul_step.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/executor/bound_program.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::executor {
namespace {

// Writes the elements of the Full `buffer` out: with strides of 0 the loop would not take BLAS.
absl::Status WriteOut(const RunFrame& frame, int buffer, ScratchBlock& memory) {
  StridedView full = frame.view(buffer);
  const int64_t bytes = std::max<int64_t>(full.size() * ItemSize(full.dtype), 1);
  if (!memory.Allocate(bytes)) {
    return absl::ResourceExhaustedError("no memory for an operand of a matrix product");
  }
  full.data = memory.data();
  SetContiguousStrides(full);
  CopyElements(frame.view(buffer), full);
  return absl::OkStatus();
}

// The two operands in memory: in one if the program has one array there, else apart.
class Operands {
 public:
  Operands(const RunFrame& frame, const OperandPlan& a, const OperandPlan& b)
      : frame_(frame), a_(a), b_(b) {}

  absl::Status Resolve(bool apart) {
    DYNACC_ASSIGN_OR_RETURN(a, Find(a_, memory_a_, storage_a_));
    const bool is_one = !apart && a_.buffer == b_.buffer;
    DYNACC_ASSIGN_OR_RETURN(b, Find(b_, is_one ? memory_a_ : memory_b_, storage_b_));
    if (!apart || !MayOverlap(*a, *b)) return absl::OkStatus();
    DYNACC_RETURN_IF_ERROR(CopyAsItLies(*b, copied_, copy_));
    b = &copy_;
    return absl::OkStatus();
  }

  const StridedView* a = nullptr;
  const StridedView* b = nullptr;

 private:
  absl::StatusOr<const StridedView*> Find(const OperandPlan& operand, ScratchBlock& memory,
                                          StridedView& storage) {
    if (!frame_.IsFull(operand.buffer)) return &frame_.Resolve(operand, storage);
    if (memory.data() == nullptr) {
      DYNACC_RETURN_IF_ERROR(WriteOut(frame_, operand.buffer, memory));
    }
    return &frame_.ResolveFull(operand, memory.data(), storage);
  }

  const RunFrame& frame_;
  const OperandPlan& a_;
  const OperandPlan& b_;
  ScratchBlock memory_a_, memory_b_, copied_;
  StridedView storage_a_, storage_b_, copy_;
};

}  // namespace

// A product and a sum for each factor.
Work WorkOf(const MatmulPlan& plan, const RunFrame& frame) {
  const int64_t products = frame.ElementsOf(plan.shape) * frame.Size(plan.inner);
  return {2 * products * ItemSize(frame.dtype(plan.output)), 0};
}

absl::Status MatmulStep::Run(RunFrame& frame) const {
  Operands operands(frame, plan().a, plan().b);
  DYNACC_RETURN_IF_ERROR(operands.Resolve(apart_));
  DYNACC_RETURN_IF_ERROR(frame.Allocate(plan().output));
  const StridedView& out = frame.view(plan().output);
  frame.CountLibraryCall();
  if (out.size() != 0) MultiplyByLoop(plan().loop, *operands.a, *operands.b, out);
  return absl::OkStatus();
}

namespace {

class BoundProduct : public ReadyRows {
 public:
  BoundProduct(const kernel::LibraryLoop& loop, const StridedView& a, const StridedView& b,
               const StridedView& out)
      : loop_(loop), a_(a), b_(b), out_(out) {}

  bool Run(char* const* pointers, char*, const RowHints&) const override {
    StridedView a = a_, b = b_, out = out_;
    a.data = pointers[0];
    b.data = pointers[1];
    out.data = pointers[2];
    MultiplyByLoop(loop_, a, b, out);
    return true;
  }

 private:
  const kernel::LibraryLoop& loop_;
  const StridedView a_, b_, out_;
};

}  // namespace

bool MatmulStep::Bind(Binder& binder) const {
  const RunFrame& frame = binder.frame();
  const MatmulPlan& p = plan();
  const double cost = rows_.Cost(frame) * static_cast<double>(frame.ElementsOf(p.shape));
  if (!Binder::IsShort(cost) || frame.IsFull(p.a.buffer) || frame.IsFull(p.b.buffer)) return false;
  if (apart_ && !binder.KeepApart(p.a.buffer, p.b.buffer)) return false;
  binder.Keep(p.inner);
  binder.Allocate(p.output);
  const StridedView& out = frame.view(p.output);
  if (out.size() == 0) return true;
  StridedView storage_a, storage_b;
  binder.Add(std::make_unique<BoundProduct>(p.loop, frame.Resolve(p.a, storage_a),
                                            frame.Resolve(p.b, storage_b), out),
             {binder.AddressOf(p.a), binder.AddressOf(p.b), binder.AddressOf(p.output)});
  return true;
}

void MultiplyByLoop(const kernel::LibraryLoop& loop, const StridedView& a, const StridedView& b,
                    const StridedView& out) {
  const int leading = out.rank - 2;
  const int ra = a.rank, rb = b.rank, ro = out.rank;
  const auto multiply = [&](char* const* pointers, const int64_t* outer, int64_t n) {
    char* args[] = {pointers[0], pointers[1], pointers[2]};
    const intptr_t sizes[] = {n, a.shape[ra - 2], a.shape[ra - 1], b.shape[rb - 1]};
    const intptr_t steps[] = {
        outer[0],           outer[1],          outer[2],          a.strides[ra - 2],
        a.strides[ra - 1],  b.strides[rb - 2], b.strides[rb - 1], out.strides[ro - 2],
        out.strides[ro - 1]};
    loop.fn(args, sizes, steps, loop.data);
  };
  if (leading == 0) {
    char* const pointers[] = {a.data, b.data, out.data};
    const int64_t any[] = {8, 8, 8};
    return multiply(pointers, any, 1);
  }
  int64_t strides_a[kMaxRank], strides_b[kMaxRank];
  LeadingStrides(a, leading, strides_a);
  LeadingStrides(b, leading, strides_b);
  LoopNest nest;
  StartNest(nest, leading, out.shape);
  AddOperand(nest, a.data, strides_a);
  AddOperand(nest, b.data, strides_b);
  AddOperand(nest, out.data, out.strides);
  OptimizeNest(nest);
  ForEachRun(nest, multiply);
}

}  // namespace dynacc::executor
