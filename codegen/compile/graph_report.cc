#include "codegen/compile/graph_report.h"

#include "codegen/ir/graph_text.h"
#include "codegen/passes/pass_runner.h"
#include "codegen/schedule/schedule.h"
#include "runtime/base/name_list.h"
#include "runtime/base/status_macros.h"

namespace dynacc::compile {

absl::StatusOr<GraphReport> ReportGraph(const ir::Graph& graph, const std::string& left_out) {
  passes::PassOptions options = passes::ProcessPassOptions();
  options.disabled = NamesIn(left_out);
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> optimized,
                          passes::RunPasses(graph, options));
  GraphReport report;
  report.optimized = ir::PrintGraph(*optimized);
  for (const schedule::Group& group : schedule::MakeSchedule(*optimized, left_out).groups) {
    report.groups.push_back({schedule::GroupKindName(group.kind), {}});
    for (const ir::Node* node : group.nodes) report.groups.back().nodes.push_back(node->id);
  }
  return report;
}

}  // namespace dynacc::compile
