// Sinking views: a View of an elementwise node that nothing else uses becomes the node on Views of
// its operands, so that a slice of something computed is computed on the slice, in one kernel.
//
//   view(multiply(a, b))  ->  multiply(view(a), view(b))
//
// Only where no element is then computed twice (IsInjection), and
//   - a node that may raise flags must run on all of its elements, so it lets only permutations of
//     axes through (IsBijection);
//   - a reduction or a library function adds floats in an order that depends on how they lie in
//     memory, and some functions give other memory orders where there are gaps, so what such a one
//     reads keeps its slices: a slice of an array has gaps, a computed slice has none. Permutations
//     are kept by NumPy's results and do no harm.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc {

std::unique_ptr<Graph> SinkViews(const Graph& graph);

}  // namespace dynacc
