// View composition: a View of a View becomes one View of what lies below, a View of a Scalar or a
// Full becomes a Full, a Store into a part becomes a Store into the whole, and Views, Casts,
// Reshapes and Stores that change nothing are elided.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc {

std::unique_ptr<Graph> ComposeViews(const Graph& graph);

}  // namespace dynacc
