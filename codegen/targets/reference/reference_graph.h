// The reference target: a slow, obvious interpreter of graphs.
//
// One node after the other, one element after the other, each node in memory of its own in C
// order; elementwise ops by runtime/ops/element_functions.h (libm for transcendental functions).
// The oracle wherever the array library is not one: for passes, and for integer and IEEE
// arithmetic, whose bits are determined. Sums are added in C order, in the dtype itself, so their
// last digits are not the array library's.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::reference {

// Interprets `graph`, which must verify. RunArguments.scalars may be those of the ScalarProgram
// before passes added to it. Outputs are asked for in C order. LibraryCall nodes go to the
// LibraryCaller. Run's errors: INTERNAL for an op on a dtype that it is not defined on, a view out
// of bounds or sizes that do not fit; what the OutputSink or the LibraryCaller returns.
std::shared_ptr<const executor::CompiledGraph> MakeReferenceGraph(
    std::unique_ptr<const ir::Graph> graph);

}  // namespace dynacc::reference
