#include "codegen/passes/pass_runner.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/verifier.h"
#include "codegen/passes/passes.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/base/name_list.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc::passes {
namespace {

constexpr Pass kPasses[] = {
#define DYNACC_PASS(function, name, kind, why_here) {name, function, PassKind::kind, why_here},
#include "codegen/passes/passes.def"
#undef DYNACC_PASS
};

void LogPass(const Pass& pass, const ir::Graph& before, const ir::Graph& after,
             absl::Duration time) {
  const std::string text = ir::PrintGraph(after);
  const bool changed = text != ir::PrintGraph(before);
  Log(LogTopic::kGraph, absl::StrCat("pass ", pass.name, " (", absl::FormatDuration(time), ")",
                                     changed ? ":\n" : " (unchanged)", changed ? text : ""));
}

}  // namespace

absl::Span<const Pass> AllPasses() { return kPasses; }

PassOptions ProcessPassOptions() {
  PassOptions options;
  options.disabled = NamesIn(ProcessOptions().disable_passes);
  return options;
}

absl::StatusOr<std::unique_ptr<ir::Graph>> RunPass(const Pass& pass, const ir::Graph& graph) {
  const absl::Time start = absl::Now();
  std::unique_ptr<ir::Graph> result = pass.run(graph);
  if (result == nullptr) return result;
  if (LogEnabled(LogTopic::kGraph, 2)) LogPass(pass, graph, *result, absl::Now() - start);
  if (const absl::Status status = ir::VerifyGraph(*result); !status.ok()) {
    return Annotate(status, absl::StrCat("after the pass ", pass.name));
  }
  return result;
}

absl::StatusOr<std::unique_ptr<ir::Graph>> RunPasses(const ir::Graph& graph,
                                                     const PassOptions& options) {
  DYNACC_RETURN_IF_ERROR(ir::VerifyGraph(graph), "before the passes");
  std::unique_ptr<ir::Graph> latest;
  for (const Pass& pass : kPasses) {
    if (pass.kind == PassKind::kForDevice && !options.for_device) continue;
    if (pass.kind == PassKind::kFastMath && !options.fast_math) continue;
    if (pass.kind == PassKind::kGoodSizes && !(options.fast_math && options.has_good_sizes))
      continue;
    if (IsOptional(pass.kind) && absl::c_linear_search(options.disabled, pass.name)) {
      continue;
    }
    const ir::Graph& before = latest == nullptr ? graph : *latest;
    DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<ir::Graph> result, RunPass(pass, before));
    if (result != nullptr) latest = std::move(result);
    if (options.after) options.after(pass, latest == nullptr ? graph : *latest);
  }
  DYNACC_CHECK(latest != nullptr) << "the first pass always makes a graph";
  return latest;
}

}  // namespace dynacc::passes
