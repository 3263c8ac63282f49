// Rolls are left to kernels, which read through them (LaunchStep). A Roll that anything else uses,
// a view or a reduction or the program, becomes an array into which the pieces of its operand are
// stored.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc {

std::unique_ptr<Graph> MaterializeRolls(const Graph& graph);

}  // namespace dynacc
