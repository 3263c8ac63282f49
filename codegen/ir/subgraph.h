// Subgraphs: a region of a graph's nodes made a graph of its own, and a graph's nodes made part of
// another one.
//
// A subgraph is traced where it is used: its nodes are made in the graph around it, between
// Graph::BeginRegion and EndRegion, of parameters (Graph::AddParameter) and of whatever was there
// before. So what it reads of the world around it is found here, and becomes inputs (*lifting*).
#pragma once

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "codegen/ir/graph.h"

namespace dynacc::ir {

// A region of a graph's nodes.
struct Region {
  const Graph* graph;
  int depth;                            // Graph::open_regions() in it
  std::vector<const Node*> parameters;  // what it is computed of ...
  std::vector<const Node*> outputs;     // ... and what it gives
  std::vector<const Node*> asked = {};  // Graph::EndRegion()
};

// Adds to `lifted` what the region reads of nodes before it, parameters and constants apart.
void FindLifted(const Region& region, std::vector<const Node*>& lifted);

// Whether the region computes nothing: no output needs it, and nothing in it may raise.
bool IsEmpty(const Region& region);

// The region as a graph that computes its outputs, laid out in C order, of `inputs`: parameters of
// it, and at least what is lifted. What no output needs is left out, unless the program asked for
// it and it may raise (MayRaise): NumPy would warn of it. The numbers that its scalar
// program takes, of the region's graph, are added to `numbers`.
std::shared_ptr<Graph> MakeSubgraph(const Region& region, absl::Span<const Node* const> inputs,
                                    std::vector<ScalarId>& numbers);

// The node alone as a graph: of its operands, each once, in the order of `inputs`. Its outputs are
// all that the node gives (ResultOf).
std::shared_ptr<Graph> GraphOfNode(const Graph& graph, const Node& node,
                                   absl::Span<const Node* const> inputs,
                                   std::vector<ScalarId>& numbers);

// Makes the nodes of `from` in `to`: with `inputs` in the place of its inputs and `numbers` in the
// place of its scalar program's. Gives them by their ids in `from`. What `from` requires
// (Graph::AddCondition) is left out.
std::vector<const Node*> InlineNodes(const Graph& from, Graph& to,
                                     absl::Span<const Node* const> inputs,
                                     absl::Span<const ScalarId> numbers);

// The same, its outputs.
std::vector<const Node*> InlineGraph(const Graph& from, Graph& to,
                                     absl::Span<const Node* const> inputs,
                                     absl::Span<const ScalarId> numbers);

}  // namespace dynacc::ir
