// Means as sums, quotients and casts, so that they are fused like others.
//
// A mean that has a library call is left alone on the host, with NumPy's bits: NumPy makes those of
// float16 in float32, in an order that its buffers give. On a device sums have an order of their
// own anyway. There means of float16 are spelled out, too, so that a norm of halves is one row
// kernel.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc::passes {

// Whether a node is a mean of float16 that has a call.
bool HasHalfMeans(const ir::Graph& graph);

// The graph with each mean that has no call as a sum, a quotient and, for short floats, two casts;
// null if there is none.
std::unique_ptr<ir::Graph> SpellOutMeans(const ir::Graph& graph);

// The same of means of float16.
std::unique_ptr<ir::Graph> SpellOutHalfMeans(const ir::Graph& graph);

}  // namespace dynacc::passes
