#include "frontend/capture/graph_descriptor.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

GraphDescriptor::Output OutputOf(const Graph& graph, size_t index) {
  const Node* const node = graph.outputs()[index];
  const Node* const target = graph.targets()[index];
  return {node->dtype,
          {node->shape.begin(), node->shape.end()},
          target == nullptr ? -1 : static_cast<int>(target->attrs.ints[0])};
}

bool IsAlike(const Node* a, const Node* b) {
  return a->dtype == b->dtype && a->rank() == b->rank();
}

bool IsAlike(const GraphDescriptor::Output& a, const GraphDescriptor::Output& b) {
  return a.dtype == b.dtype && a.shape.size() == b.shape.size() && a.target == b.target;
}

template <typename Items>
std::string Compare(const char* what, const Items& own, const Items& other) {
  if (own.size() != other.size()) return absl::StrCat("it has ", own.size(), " ", what, "s");
  for (size_t i = 0; i < own.size(); ++i) {
    if (!IsAlike(own[i], other[i]))
      return absl::StrCat("its ", what, " ", i, " is of another type");
  }
  return "";
}

}  // namespace

GraphDescriptor::GraphDescriptor(const Graph& graph)
    : inputs(graph.inputs().begin(), graph.inputs().end()) {
  for (size_t i = 0; i < graph.outputs().size(); ++i) outputs.push_back(OutputOf(graph, i));
  const ScalarProgram& program = graph.scalars();
  numbers.resize(program.num_inputs());
  number_types.resize(program.num_inputs());
  for (ScalarId id = 0; id < program.size(); ++id) {
    const ScalarExpr& expr = program.expr(id);
    if (expr.op != ScalarOp::kInput) continue;
    numbers[expr.value.i] = id;
    number_types[expr.value.i] = expr.type;
  }
}

std::vector<ScalarValue> GraphDescriptor::NumbersOf(absl::Span<const ScalarValue> values) const {
  std::vector<ScalarValue> result;
  for (const ScalarId id : numbers) result.push_back(values[id]);
  return result;
}

std::string GraphDescriptor::DifferenceFrom(const GraphDescriptor& other) const {
  if (number_types != other.number_types) return "it takes other numbers";
  const std::string of_inputs = Compare("input", inputs, other.inputs);
  return of_inputs.empty() ? Compare("output", outputs, other.outputs) : of_inputs;
}

}  // namespace dynacc
