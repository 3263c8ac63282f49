// Steps that run compiled graphs: branches and loops (codegen/ir/graph.h, CONTROL FLOW).
//
// They work in host memory. What a graph gives is written to where the step's results lie; carries
// of a loop go back and forth between the result's memory and a block of the same size. A round
// allocates nothing and asks nobody, so its cost is that of a small graph's run.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

// A graph that a step runs.
struct SubgraphPlan {
  std::shared_ptr<const CompiledGraph> graph;
  ScalarProgram scalars;          // its own
  std::vector<ScalarId> numbers;  // of the step's graph: the inputs of `scalars`
};

// The first graph where the condition is true, else the second.
class CondStep : public Step {
 public:
  // `condition`: one bool. `outputs`: the buffer of each result; -1 where nobody reads it. The
  // graphs take `operands`.
  CondStep(OperandPlan condition, std::vector<OperandPlan> operands, std::vector<int> outputs,
           std::vector<SubgraphPlan> branches);
  absl::Status Run(RunFrame& frame) const override;

  const OperandPlan& condition() const { return condition_; }
  const std::vector<OperandPlan>& operands() const { return operands_; }
  const std::vector<int>& outputs() const { return outputs_; }
  const std::vector<SubgraphPlan>& branches() const { return branches_; }

 private:
  OperandPlan condition_;
  std::vector<OperandPlan> operands_;
  std::vector<int> outputs_;
  std::vector<SubgraphPlan> branches_;
};

struct LoopPlan {
  // As of a Loop node: constants, then carries, then arrays of slices.
  std::vector<OperandPlan> operands;
  size_t num_constants = 0;
  size_t num_carries = 0;
  bool counted = false;
  OperandPlan rounds;           // if it is counted: one int64
  ScalarId length = kNoScalar;  // kNoScalar: not limited
  bool reverse = false;
  std::vector<int> outputs;  // the buffer of each result, the number of rounds last; -1: not read
  std::vector<SubgraphPlan> graphs;  // the body, and perhaps a condition
};

// ABORTED if a carry changes its shape.
class LoopStep : public Step {
 public:
  explicit LoopStep(LoopPlan plan) : plan_(std::move(plan)) {}
  absl::Status Run(RunFrame& frame) const override;

  const LoopPlan& plan() const { return plan_; }

 private:
  LoopPlan plan_;
};

}  // namespace dynacc::executor
