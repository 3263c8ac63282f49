// The way of a graph, from what the tracer captured to what runs: passes, schedule, kernels, code,
// plan.
#include "codegen/compile/compiler.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "codegen/compile/compile_output.h"
#include "codegen/compile/compile_progress.h"
#include "codegen/compile/control_flow_steps.h"
#include "codegen/compile/debug_folder.h"
#include "codegen/compile/kept_plan.h"
#include "codegen/compile/plan_builder.h"
#include "codegen/compile/targets.h"
#include "codegen/emit/lowering.h"
#include "codegen/extensions/graph_passes.h"
#include "codegen/passes/memory_order.h"
#include "codegen/passes/pass_runner.h"
#include "codegen/passes/predicate_branches.h"
#include "codegen/passes/spell_out_means.h"
#include "codegen/schedule/row_kernels.h"
#include "codegen/schedule/schedule.h"
#include "codegen/targets/reference/reference_graph.h"
#include "runtime/base/log.h"
#include "runtime/base/name_list.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"

namespace dynacc::compile {
namespace {

std::string DescribeTuning(const std::string& note) {
  return note.empty() ? "" : absl::StrCat("autotune: ", note, "\n\n");
}

// The knobs that are no rules, of the kernel of the group of that number.
void ApplyTuning(const tuning::Choice& choice, int group, const KernelForm& form,
                 emit::LoweredKernel& lowered) {
  const auto value = [&](tuning::Knob knob) { return choice.Get(knob, group); };
  lowered.kernel.unroll = form.unroll > 0 ? form.unroll : value(tuning::Knob::kUnroll);
  lowered.kernel.tile = form.tile > 0 ? form.tile : value(tuning::Knob::kTile);
  lowered.kernel.non_temporal &= form.non_temporal && value(tuning::Knob::kNonTemporal) != 0;
  lowered.cost *= value(tuning::Knob::kWork) / 100.0;
}

absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> RunPipeline(
    const ir::Graph& graph, const CompileOptions& options, KernelMaker make,
    const DebugFolder* folder) {
  passes::PassOptions passes = ObservedPasses(graph, folder);
  const bool has_device_form = passes::HasHalfMeans(graph) || passes::HasPredicableBranches(graph);
  const bool needs_device = has_device_form && GoesToDevice(options, graph);
  passes.for_device = needs_device;
  passes.fast_math = options.fast_math;
  passes.has_good_sizes = TraitsOf(options.target).has_good_sizes;
  const std::string disabled = options.LeftOut();
  passes.disabled = NamesIn(disabled);
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Graph> optimized,
                          passes::RunPasses(graph, passes));

  const schedule::Schedule schedule =
      schedule::MakeSchedule(*optimized, disabled, ProductsFor(options));
  const std::string text = schedule::ScheduleText(*optimized, schedule);
  if (folder != nullptr) folder->Write("schedule.txt", text);
  if (LogEnabled(LogTopic::kSchedule)) {
    Log(LogTopic::kSchedule, absl::StrCat(options.label, "\n", text));
  }

  std::vector<emit::LoweredKernel> lowered;
  std::vector<kernel::Kernel> kernels;
  for (const schedule::Group& group : schedule.groups) {
    lowered.push_back(
        emit::LowerGroup(group, absl::StrCat("k", kernels.size()), options.fast_math));
    lowered.back().kernel.non_temporal = emit::MayStoreNonTemporally(*optimized, schedule, group);
    ApplyTuning(options.tuning, static_cast<int>(lowered.size()) - 1, options.form, lowered.back());
    if (!lowered.back().kernel.steps.empty()) kernels.push_back(lowered.back().kernel);
  }

  DYNACC_ASSIGN_OR_RETURN(Kernels compiled, make(kernels));
  if (folder != nullptr) WriteKernels(*folder, kernels, compiled);
  if (ProcessOptions().perf_map) NameForPerf(kernels, compiled, options.label);
  DYNACC_ASSIGN_OR_RETURN(
      const CompiledSubgraphs subgraphs,
      CompileSubgraphs(*optimized, options, [&](const ir::Graph& subgraph, const auto& for_host) {
        return RunPipeline(subgraph, for_host, make, nullptr);
      }));
  Device device;
  if (optimized->scalars().num_data_dependent() == 0) {
    DYNACC_ASSIGN_OR_RETURN(device, CompileForDevice(options, schedule, lowered, needs_device));
  }

  std::string description =
      absl::StrCat(DescribeTuning(options.tuning_note), DescribeKernels(text, lowered, compiled),
                   DescribeSubgraphs(*optimized, subgraphs));
  if (device != nullptr) {
    absl::StrAppend(&description, "\n", schedule::RowKernelsText(schedule), device->source());
  }
  if (LogEnabled(LogTopic::kOutputCode)) {
    Log(LogTopic::kOutputCode, absl::StrCat(options.label, "\n", description));
  }
  return BuildPlan(*optimized, graph, schedule, std::move(lowered), std::move(compiled), subgraphs,
                   std::move(description), std::move(device));
}

// RunPipeline, or what is kept of it. `keeps`, asked afterwards: whether it is to be kept.
absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> LoadPlanOrCompile(
    const ir::Graph& graph, const CompileOptions& options, KernelMaker make,
    absl::FunctionRef<bool()> keeps, const DebugFolder* folder) {
  if (folder != nullptr || !options.keeps_plan || !KeptPlan::MayBeKept(graph, options)) {
    return RunPipeline(graph, options, make, folder);
  }
  const KeptPlan kept(graph, options);
  auto found = kept.Load(make);
  if (!absl::IsNotFound(found.status())) return found;
  RecordedKernels recorded;
  const auto record = [&](absl::Span<const kernel::Kernel> kernels) -> absl::StatusOr<Kernels> {
    DYNACC_ASSIGN_OR_RETURN(Kernels made, make(kernels));
    recorded.Record(kernels, made);
    return made;
  };
  DYNACC_ASSIGN_OR_RETURN(auto compiled, RunPipeline(graph, options, record, folder));
  if (keeps()) kept.Keep(*compiled, recorded);
  return compiled;
}

absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> CompileWithExtensions(
    const ir::Graph& captured, const CompileOptions& options, KernelMaker make,
    absl::FunctionRef<bool()> keeps) {
  const std::unique_ptr<ir::Graph> changed = extensions::ApplyPasses(captured);
  const ir::Graph& graph = changed == nullptr ? captured : *changed;
  TraceSpan span("compile");
  if (span) span.Begin(options.label);
  const std::unique_ptr<DebugFolder> folder = DebugFolder::Make(options.label, graph);
  auto compiled = LoadPlanOrCompile(graph, options, make, keeps, folder.get());
  if (folder != nullptr && !compiled.ok()) {
    folder->Write("error.txt", std::string(compiled.status().message()));
  }
  return compiled;
}

}  // namespace

KernelForm KernelForm::Of(const Options& options) {
  return {NumberOf(options.tile), NumberOf(options.unroll), options.non_temporal};
}

std::string KernelForm::ToText() const {
  return absl::StrCat("tile ", tile, " unroll ", unroll, non_temporal ? " non_temporal" : "");
}

absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> CompileGraph(
    const ir::Graph& graph, const CompileOptions& options) {
  const CompileTimer timer;
  if (TraitsOf(options.target).interprets_graphs) {
    const std::unique_ptr<ir::Graph> changed = extensions::ApplyPasses(graph);
    return reference::MakeReferenceGraph(
        passes::DropMemoryOrder(changed == nullptr ? graph : *changed));
  }
  std::optional<CompileProgress> progress;
  if (!options.in_background) progress.emplace(options.label);
  const auto make = [&](absl::Span<const kernel::Kernel> kernels) {
    return CompileKernels(kernels, options);
  };
  return CompileWithExtensions(graph, options, make, [] { return true; });
}

absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> CompileGraphWith(
    const ir::Graph& graph, const CompileOptions& options, KernelMaker make) {
  CompileOptions here = options;
  here.keeps_plan = false;
  return CompileWithExtensions(graph, here, make, [] { return false; });
}

targets::TargetTraits TraitsOf(absl::string_view name) {
  if (name == kReferenceTarget) return {.interprets_graphs = true};
  const targets::Target* target = FindTarget(name);
  return target == nullptr ? targets::TargetTraits() : target->traits();
}

absl::StatusOr<BaselineGraph> CompileBaseline(const ir::Graph& graph,
                                              const CompileOptions& options) {
  const CompileTimer timer;
  BaselineGraph baseline;
  // Asked once about the graph, and once about each that its nodes run.
  const targets::Target* target = FindTarget(options.target);
  baseline.is_final = target != nullptr;
  auto find = [&](absl::Span<const kernel::Kernel> kernels) -> absl::StatusOr<Kernels> {
    baseline.num_kernels += static_cast<int>(kernels.size());
    if (target != nullptr) {
      absl::StatusOr<Kernels> found = target->FindKernels(kernels);
      baseline.is_final = baseline.is_final && found.ok();
      if (found.ok()) return found;
    }
    return FindTarget("tile")->CompileKernels(kernels);
  };
  // Of what is not hot yet the disk is not worth a plan.
  const auto keeps = [&] { return baseline.is_final; };
  DYNACC_ASSIGN_OR_RETURN(baseline.graph, CompileWithExtensions(graph, options, find, keeps));
  return baseline;
}

}  // namespace dynacc::compile
