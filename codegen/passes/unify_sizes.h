// Unifying sizes: where two sizes are the same number in every run (a condition of the graph says
// s0 == s1), all shapes are written with the older of the two.
//
// When a program adds arrays of sizes that vary, each has sizes of its own; that they agree is
// known once they meet. What was computed of them before that is then of the one shape, too: no
// views are between, and it is computed in the same kernel.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc {

std::unique_ptr<Graph> UnifySizes(const Graph& graph);

}  // namespace dynacc
