// LayoutBuilder: the LayoutProgram of a traced graph, of those of its nodes that anyone asks for.
#pragma once

#include <vector>

#include "codegen/ir/equal_sizes.h"
#include "codegen/ir/graph.h"
#include "runtime/executor/layout_program.h"

namespace dynacc::compile {

executor::ShapePlan PlanShape(absl::Span<const ScalarId> shape);

// The plan of a View node, or of the part that a Store stores; see graph.h for the layout of their
// attributes. `shape`: what the view shows.
executor::ViewPlan PlanView(const ir::Node* node, absl::Span<const ScalarId> shape);

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const ir::Graph& traced)
      : traced_(traced), equal_sizes_(traced), step_of_(traced.nodes().size(), -1) {}

  // The step that lays out `node` of the traced graph.
  int StepOf(const ir::Node* node);

  // The step of what `node`, of a graph made of the traced one, stands for; -1 if it has another
  // shape than that: a node that a pass has made on the way.
  int StepOfOrigin(const ir::Node* node);

  // The step of what the traced graph's reduction or product `node` reads; -1 if there is none.
  int StepOfSource(const ir::Node* node);

  executor::LayoutProgram Finish() { return executor::LayoutProgram(std::move(steps_)); }

 private:
  const ir::Graph& traced_;
  const ir::EqualSizes equal_sizes_;  // passes write shapes with others of them
  std::vector<int> step_of_;
  std::vector<executor::LayoutStep> steps_;
};

}  // namespace dynacc::compile
