// ProductStep: one matrix product of a plan by oneDNN (fused_product.h).
//
// Operands that lie as oneDNN wants them are read in place; others are copied. A stack of products
// with one right operand is one product of as many rows. Where its work is not worth oneDNN, or an
// operand cannot be read by it, a product without an epilogue is the array library's.
#pragma once

#include <memory>
#include <vector>

#include "codegen/schedule/schedule.h"
#include "runtime/executor/step.h"

namespace dynacc {

struct ProductPlan {
  DType dtype;
  OperandPlan a, b;
  struct StepPlan {
    EpilogueKind kind;
    float alpha, beta;
    OperandPlan operand;  // of arrays
    bool is_row;
  };
  std::vector<StepPlan> epilogue;
  int output;  // buffer
};

class ProductStep : public Step {
 public:
  // `plain`: the same product by the array library, without the epilogue.
  ProductStep(ProductPlan plan, std::unique_ptr<const Step> plain)
      : plan_(std::move(plan)), plain_(std::move(plain)) {}

  // ABORTED, so that CPython runs the stretch, where a NaN met a function, which may have lost it.
  absl::Status Run(RunFrame& frame) const override;

 private:
  ProductPlan plan_;
  std::unique_ptr<const Step> plain_;
};

}  // namespace dynacc
