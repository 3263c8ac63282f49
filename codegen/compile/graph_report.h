// GraphReport: what codegen makes of a graph before it makes kernels, for dynacc.explain.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ir/graph.h"

namespace dynacc::compile {

struct GraphReport {
  struct Group {
    const char* kind;        // "elementwise", "reduction", ...: as in the schedule's text
    std::vector<int> nodes;  // ids in `optimized`, in the order in which they are computed
  };
  std::string optimized;      // the graph after the passes (codegen/ir/graph_text.h)
  std::vector<Group> groups;  // the fusion groups; nodes in none are leaves and views
};

// Runs the passes and the scheduler as a compile does that leaves these passes and rules out
// (CompileOptions::LeftOut). Errors: those of RunPasses.
absl::StatusOr<GraphReport> ReportGraph(const ir::Graph& graph, const std::string& left_out);

}  // namespace dynacc::compile
