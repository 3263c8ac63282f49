// ProductStep: one matrix product of a plan by oneDNN (array_product.h). A product without an
// epilogue whose work turns out not to be worth oneDNN is the array library's.
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
