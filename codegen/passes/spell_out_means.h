// Means of float16 as kernels of a device make them.
//
// NumPy makes them in float32, in an order that its buffers give: on the host such a mean is an
// library call, with NumPy's bits. On a device sums have an order of their own anyway. There the
// call is spelled out, so that it is fused like other means, and a norm of halves is one row
// kernel.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc::passes {

// Whether a library call is such a mean (MeanCall).
bool HasFloat16Means(const ir::Graph& graph);

// The graph with each of them as a sum, a quotient and two casts.
std::unique_ptr<ir::Graph> SpellOutMeans(const ir::Graph& graph);

}  // namespace dynacc::passes
