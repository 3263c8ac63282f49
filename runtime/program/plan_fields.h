// The fields of the structs that plans are made of, visited one by one.
#pragma once

#include <optional>
#include <vector>

#include "runtime/executor/element_steps.h"
#include "runtime/executor/gather_plan.h"
#include "runtime/executor/int_operation.h"
#include "runtime/executor/layout_program.h"
#include "runtime/executor/plan.h"
#include "runtime/program/archive.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc::program {

// What numbers in a plan may refer to.
struct PlanLimits {
  int inputs = 0;
  int outputs = 0;
};
// Of what is written, which needs no checks.
inline constexpr PlanLimits kNoLimits = {INT32_MAX, INT32_MAX};

class PlanFields {
 public:
  PlanFields(Archive& archive, PlanLimits limits) : archive_(archive), limits_(limits) {}

  Archive& archive() { return archive_; }
  const ScalarProgram& scalars() const { return scalars_; }
  const std::vector<executor::BufferPlan>& buffers() const { return buffers_; }
  int num_layouts() const { return num_layouts_; }

  // In this order, as what follows refers to what came before.
  void Scalars(ScalarProgram& program);
  void Layouts(std::vector<executor::LayoutStep>& steps);
  void Buffers(std::vector<executor::BufferPlan>& buffers);

  void Scalar(ScalarId& id);        // an expression
  void ScalarOrNone(ScalarId& id);  // or kNoScalar
  void Buffer(int& buffer);
  void Shape(executor::ShapePlan& shape);
  void View(executor::ViewPlan& view);
  void Operand(executor::OperandPlan& operand);
  void WriteBack(executor::WriteBackPlan& plan);
  void Scan(executor::ScanPlan& plan);
  void Extremes(executor::ExtremesPlan& plan);
  void Gather(executor::GatherPlan& plan);
  void Scatter(executor::ScatterPlan& plan);
  void Integers(executor::IntOperation& operation, std::vector<executor::OperandPlan>& operands);

  // The rank and the dtype of what an operand shows.
  int RankOf(const executor::OperandPlan& operand) const;
  DType DTypeOf(const executor::OperandPlan& operand) const {
    return buffers_[operand.buffer].dtype;
  }
  int RankOf(int buffer) const { return buffers_[buffer].shape.rank; }

 private:
  void Expression(ScalarExpr& expr);
  void LayoutStep(executor::LayoutStep& step, int index);
  void OneBuffer(executor::BufferPlan& buffer);
  void CheckAliases();
  void Bound(std::optional<executor::GatherPlan::Bound>& bound);
  void Part(executor::GatherPlan::Part& part);
  void Index(executor::GatherPlan::Index& index);
  void NumberOrNone(std::optional<int64_t>& number);

  Archive& archive_;
  const PlanLimits limits_;
  int num_layouts_ = 0;
  ScalarProgram scalars_;
  std::vector<executor::BufferPlan> buffers_;
};

}  // namespace dynacc::program
