// GraphDescriptor: what whoever runs a captured graph in its place must know of it.
#pragma once

#include <string>
#include <vector>

#include "codegen/ir/graph.h"

namespace dynacc {

struct GraphDescriptor {
  struct Output {
    DType dtype;
    std::vector<ScalarId> shape;
    int target;  // the input that it is written into; -1: none
  };

  explicit GraphDescriptor(const Graph& graph);

  // The values of the program's inputs, among those of all its expressions.
  std::vector<ScalarValue> NumbersOf(absl::Span<const ScalarValue> values) const;

  // "": the graph takes and gives arrays of the same dtypes and ranks, and numbers of the same
  // types, as `other`; else what differs.
  std::string DifferenceFrom(const GraphDescriptor& other) const;

  std::vector<const Node*> inputs;
  std::vector<Output> outputs;
  std::vector<ScalarType> number_types;  // of the program's inputs, in order
  std::vector<ScalarId> numbers;
};

}  // namespace dynacc
