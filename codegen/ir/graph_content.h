// What a graph is, as bytes: for keys of what is kept from process to process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ir/graph.h"

namespace dynacc::ir {

// Equal for graphs that are equal in all that codegen sees, the user's lines included, and
// different for others. Means something to this build alone: ops and the like are numbers. Library
// calls, whose ids are the process's, are the places of these in LibraryCallsOf, and their texts.
std::string GraphContent(const Graph& graph);

// The ids of the graph's library calls, and of those that its nodes run, each once, in order.
std::vector<int64_t> LibraryCallsOf(const Graph& graph);

}  // namespace dynacc::ir
