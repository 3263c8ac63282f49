// DropMemoryOrder: a copy of a traced graph without the nodes that only say how arrays
// lie in memory or are about derivatives, and with the parts of a Concat stored into one array. A
// copy in C order that the array library itself reads is made, as BLAS is called in other ways for
// other orders. Reductions stay apart (attrs.order) whose operands are one value in several orders.
// Origins tell which of the traced nodes each is, for the layout builder.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc::passes {

std::unique_ptr<ir::Graph> DropMemoryOrder(const ir::Graph& graph);

}  // namespace dynacc::passes
