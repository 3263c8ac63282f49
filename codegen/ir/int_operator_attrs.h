// The attributes of IntOperator (graph.h): attrs.ints = {operator, and for each argument its
// operand, or -1, and a number; then 1 if it wraps}.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codegen/ir/graph.h"
#include "runtime/executor/int_operation.h"

namespace dynacc::ir {

std::vector<int64_t> EncodeIntOperation(const executor::IntOperation& operation);

// Nothing if attrs.ints says no operator, or another number of arguments than it has.
std::optional<executor::IntOperation> IntOperationOf(const Node& node);

// "floordiv[%0, 2]", "mul[%0, %1] wraps".
std::string IntOperationText(const Node& node);

// INTERNAL with what is broken.
absl::Status CheckIntOperator(const Graph& graph, const Node& node);

}  // namespace dynacc::ir
