// OneDnnMatmulStep: one matrix product of a plan by oneDNN (array_matmul.h). A product without an
// epilogue whose work turns out not to be worth oneDNN is the array library's.
#pragma once

#include <memory>
#include <vector>

#include "runtime/cpu/onednn/epilogue.h"
#include "runtime/cpu/onednn/matmul_work.h"
#include "runtime/executor/step.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

struct OneDnnMatmulPlan {
  executor::OperandPlan a, b;
  // The operands' numbers are bfloat16's, whether they are stored so or in float32.
  bool is_low_precision = false;
  // `a` shows windows of an array, whose axes walk along these of the array (convolution.h); the
  // product is of executor::WindowMatrices. Empty: it is a product of `a` itself.
  std::vector<int64_t> window_axes;
  struct StepPlan {
    EpilogueKind kind;
    float alpha, beta;
    executor::OperandPlan operand;  // of arrays
    bool is_row;
  };
  std::vector<StepPlan> epilogue;
  int output;                // buffer
  kernel::LibraryLoop loop;  // the array library's, of float32
};

class OneDnnMatmulStep : public executor::Step {
 public:
  // `plain`: the same product by the array library, without the epilogue; not used of narrow ones.
  OneDnnMatmulStep(OneDnnMatmulPlan plan, std::unique_ptr<const executor::Step> plain)
      : plan_(std::move(plan)), plain_(std::move(plain)) {}

  // ABORTED, so that CPython runs the stretch, where a NaN met a function, which may have lost it.
  absl::Status Run(executor::RunFrame& frame) const override;
  executor::Work WorkIn(const executor::RunFrame& frame) const override {
    return plain_->WorkIn(frame);
  }

 private:
  MatmulWork WorkOf(const executor::RunFrame& frame, const StridedView& b) const;
  absl::Status RunSmall(executor::RunFrame& frame, const StridedView& a,
                        const StridedView& b) const;

  OneDnnMatmulPlan plan_;
  std::unique_ptr<const executor::Step> plain_;
};

}  // namespace dynacc::cpu
