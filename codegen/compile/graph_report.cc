#include "codegen/compile/graph_report.h"

#include "codegen/ir/graph_text.h"
#include "codegen/passes/pass_runner.h"
#include "codegen/schedule/schedule.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc {

absl::StatusOr<GraphReport> ReportGraph(const Graph& graph) {
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<Graph> optimized,
                          RunPasses(graph, ProcessPassOptions()));
  GraphReport report;
  report.optimized = PrintGraph(*optimized);
  for (const Group& group : MakeSchedule(*optimized, ProcessOptions().disable_passes).groups) {
    report.groups.push_back({GroupKindName(group.kind), {}});
    for (const Node* node : group.nodes) report.groups.back().nodes.push_back(node->id);
  }
  return report;
}

}  // namespace dynacc
