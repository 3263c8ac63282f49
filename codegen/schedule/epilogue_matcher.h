// Epilogues: what is done to each element of a matrix product before it is stored.
//
// A product of a layer is followed by a bias, an activation and a residual. A library of products
// does them to a tile of the result while that is in registers, as a list of steps (epilogue.def),
// if they are of its kinds. Which kind a stretch of the graph is, is not read off its nodes: a GELU
// can be written in many ways. A stretch that makes one value of another one and of constants is a
// function; it is computed, in double, at points all over the line and compared with the functions
// that there are.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "runtime/cpu/onednn/epilogue.h"

namespace dynacc::schedule {

struct EpilogueStep {
  cpu::EpilogueKind kind;
  float alpha = 0;  // of functions: linear is alpha x + beta, clip to [alpha, beta],
  float beta = 0;   // relu is alpha x below 0
  const ir::Node* operand =
      nullptr;          // of the product's shape; what is repeated for all rows is a View
  bool is_row = false;  // the operand is one row, repeated
};

// The step for `user`, which computes with `value`, a float32 of its shape, and an array that can
// be an epilogue's: of the same shape, or one row of it. Nothing if it is no such node.
std::optional<EpilogueStep> MatchArrayStep(const ir::Graph& graph, const ir::Node* value,
                                           const ir::Node* user);

// The step that makes, of `value`, the last of `nodes`: those that compute it of `value` and
// constants, in the graph's order. Nothing if no function of epilogue.def is the same.
std::optional<EpilogueStep> MatchFunctionStep(const ir::Graph& graph, const ir::Node* value,
                                              absl::Span<const ir::Node* const> nodes);

// Whether MatchFunctionStep knows the node's op, and each operand is a float32 or bool that is
// `value`, among `nodes`, or a constant.
bool IsFunctionNode(const ir::Graph& graph, const ir::Node* node, const ir::Node* value,
                    absl::Span<const ir::Node* const> nodes);

}  // namespace dynacc::schedule
