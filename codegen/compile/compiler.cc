#include "codegen/compile/compiler.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "codegen/compile/compile_progress.h"
#include "codegen/compile/debug_folder.h"
#include "codegen/compile/plan_builder.h"
#include "codegen/compile/targets.h"
#include "codegen/emit/lowering.h"
#include "codegen/ir/graph_text.h"
#include "codegen/passes/memory_order.h"
#include "codegen/passes/pass_runner.h"
#include "codegen/passes/spell_out_means.h"
#include "codegen/schedule/row_kernels.h"
#include "codegen/schedule/schedule.h"
#include "codegen/targets/device_module.h"
#include "codegen/targets/reference/reference_graph.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/kernel/perf_map.h"

namespace dynacc {
namespace {

using Kernels = std::vector<std::shared_ptr<const CompiledKernel>>;

void WarnOfTile(const std::string& target_name, const absl::Status& unavailable) {
  WarnOnce(absl::StrCat("target ", target_name),
           absl::StrCat(std::string(unavailable.message()),
                        "; kernels run on library loops (target tile), which is slower"));
}

// Compiles with the wanted target; with tile where that one cannot compile on this machine, or not
// now.
absl::StatusOr<Kernels> CompileKernels(absl::Span<const Kernel> kernels,
                                       const CompileOptions& options) {
  if (kernels.empty()) return Kernels();
  const Target* target = FindTarget(options.target);
  absl::Status unavailable = absl::UnavailableError(absl::StrCat("no target ", options.target));
  if (target != nullptr) {
    absl::StatusOr<Kernels> compiled = target->CompileKernels(kernels);
    const bool is_short = absl::IsResourceExhausted(compiled.status()) && !options.tries_again;
    if (!absl::IsUnavailable(compiled.status()) && !is_short) return compiled;
    unavailable = compiled.status();
  }
  WarnOfTile(options.target, unavailable);
  return FindTarget("tile")->CompileKernels(kernels);
}

using Device = std::shared_ptr<const DeviceModule>;

// Whether the graph's kernels will be a device's. Its steps are made for sizes that are known
// before the run.
bool GoesToDevice(const CompileOptions& options, const Graph& graph) {
  const Target* target = FindTarget(options.target);
  return target != nullptr && target->has_device() && graph.scalars().num_data_dependent() == 0 &&
         target->Availability().ok();
}

// The groups' kernels on the target's device; null if it has none, or none that can be used here,
// unless the graph is for a device alone.
absl::StatusOr<Device> CompileForDevice(const CompileOptions& options, const Schedule& schedule,
                                        absl::Span<const LoweredKernel> lowered,
                                        bool needs_device) {
  const Target* target = FindTarget(options.target);
  if (target == nullptr) return Device();
  absl::StatusOr<Device> device =
      target->CompileForDevice(schedule, lowered, options.label, options.placement);
  const bool is_error = needs_device || options.placement.device != 0;
  if (!absl::IsUnavailable(device.status()) || is_error) return device;
  WarnOfTile(options.target, device.status());
  return Device();
}

// Has `kernels` made into something that runs.
using KernelMaker = absl::FunctionRef<absl::StatusOr<Kernels>(absl::Span<const Kernel> kernels)>;

std::string Describe(const std::string& schedule, absl::Span<const LoweredKernel> lowered,
                     const Kernels& kernels) {
  std::string text = schedule;
  size_t next = 0;
  for (const LoweredKernel& group : lowered) {
    if (group.kernel.steps.empty()) continue;
    absl::StrAppend(&text, "\n", KernelText(group.kernel));
    const std::string& source = kernels[next++]->source();
    if (source != KernelText(group.kernel)) absl::StrAppend(&text, source);
  }
  return text;
}

// Passes in debug_folder get a file each if they changed the graph.
PassOptions ObservedPasses(const Graph& graph, const DebugFolder* folder) {
  PassOptions options = ProcessPassOptions();
  if (folder == nullptr) return options;
  options.after = [folder, number = 0, last = PrintGraph(graph)](const Pass& pass,
                                                                 const Graph& after) mutable {
    std::string text = PrintGraph(after);
    ++number;
    if (text == last) return;
    folder->Write(absl::StrCat("pass-", number, "-", pass.name, ".txt"), text);
    last = std::move(text);
  };
  return options;
}

void WriteKernels(const DebugFolder& folder, absl::Span<const Kernel> kernels,
                  const Kernels& compiled) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::string name = absl::StrCat("kernel-", i);
    const std::string text = KernelText(kernels[i]);
    folder.Write(absl::StrCat(name, ".txt"), text);
    if (compiled[i]->source() != text)
      folder.Write(absl::StrCat(name, ".cc"), compiled[i]->source());
    if (!compiled[i]->object().empty())
      folder.Write(absl::StrCat(name, ".o"), compiled[i]->object());
  }
}

// "dynacc: f (prog.py:12) k0 at prog.py:14".
void NameForPerf(absl::Span<const Kernel> kernels, const Kernels& compiled,
                 absl::string_view label) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const absl::Span<const char> code = compiled[i]->code();
    if (code.empty()) continue;
    const KernelStep& last = kernels[i].steps.back();
    AddToPerfMap(code, absl::StrCat("dynacc: ", label, " ", kernels[i].name, " at ", last.file, ":",
                                    last.line));
  }
}

// Whether a kernel shall be able to write past the cache: one that makes results of the graph
// alone, where the rows that it reads are in the cache.
bool MayStoreNonTemporally(const Graph& graph, const Schedule& schedule, const Group& group) {
  const int index = static_cast<int>(&group - schedule.groups.data());
  const bool goes_by_rows = absl::c_any_of(schedule.row_blocks, [index](const RowBlock& block) {
    return index > block.first && index <= block.last;
  });
  return goes_by_rows && group.kind == GroupKind::kElementwise &&
         absl::c_all_of(group.outputs, [&](const Node* node) {
           return FreshOutputOf(graph, node) >= 0 && IsFloat(node->dtype) &&
                  ItemSize(node->dtype) >= 4;
         });
}

// Targets of the host have oneDNN; a device has products of its own.
MatmulPolicy ProductsFor(const CompileOptions& options) {
  MatmulPolicy policy;
  policy.any_order = options.fast_math;
  if (options.target == "cpu" || options.target == "tile") {
    policy.library = &OneDnnStatus;
    policy.takes_bfloat16 = [] { return HasFusedMatmuls(DType::kBFloat16); };
  }
  return policy;
}

absl::StatusOr<std::shared_ptr<const CompiledGraph>> LowerInto(const Graph& graph,
                                                               const CompileOptions& options,
                                                               KernelMaker make,
                                                               const DebugFolder* folder) {
  PassOptions passes = ObservedPasses(graph, folder);
  const bool needs_device = HasFloat16Means(graph) && GoesToDevice(options, graph);
  passes.for_device = needs_device;
  DYNACC_ASSIGN_OR_RETURN(const std::unique_ptr<Graph> optimized, RunPasses(graph, passes));

  const Schedule schedule =
      MakeSchedule(*optimized, ProcessOptions().disable_passes, ProductsFor(options));
  const std::string text = ScheduleText(*optimized, schedule);
  if (folder != nullptr) folder->Write("schedule.txt", text);
  if (LogEnabled(LogTopic::kSchedule)) {
    Log(LogTopic::kSchedule, absl::StrCat(options.label, "\n", text));
  }

  std::vector<LoweredKernel> lowered;
  std::vector<Kernel> kernels;
  for (const Group& group : schedule.groups) {
    lowered.push_back(LowerGroup(group, absl::StrCat("k", kernels.size()), options.fast_math));
    lowered.back().kernel.non_temporal = MayStoreNonTemporally(*optimized, schedule, group);
    if (!lowered.back().kernel.steps.empty()) kernels.push_back(lowered.back().kernel);
  }

  DYNACC_ASSIGN_OR_RETURN(Kernels compiled, make(kernels));
  if (folder != nullptr) WriteKernels(*folder, kernels, compiled);
  if (ProcessOptions().perf_map) NameForPerf(kernels, compiled, options.label);
  Device device;
  if (optimized->scalars().num_data_dependent() == 0) {
    DYNACC_ASSIGN_OR_RETURN(device, CompileForDevice(options, schedule, lowered, needs_device));
  }

  std::string description = Describe(text, lowered, compiled);
  if (device != nullptr) {
    absl::StrAppend(&description, "\n", RowKernelsText(schedule), device->source());
  }
  return BuildPlan(*optimized, graph, schedule, std::move(lowered), std::move(compiled),
                   std::move(description), std::move(device));
}

absl::StatusOr<std::shared_ptr<const CompiledGraph>> Lower(const Graph& graph,
                                                           const CompileOptions& options,
                                                           KernelMaker make) {
  TraceSpan span("compile");
  if (span) span.Begin(options.label);
  const std::unique_ptr<DebugFolder> folder = DebugFolder::Make(options.label, graph);
  auto compiled = LowerInto(graph, options, make, folder.get());
  if (folder != nullptr && !compiled.ok()) {
    folder->Write("error.txt", std::string(compiled.status().message()));
  }
  return compiled;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CompiledGraph>> CompileGraph(const Graph& graph,
                                                                  const CompileOptions& options) {
  const CompileTimer timer;
  if (options.target == "reference") {
    return MakeReferenceGraph(DropMemoryOrder(graph));
  }
  std::optional<CompileProgress> progress;
  if (!options.in_background) progress.emplace(options.label);
  return Lower(graph, options,
               [&](absl::Span<const Kernel> kernels) { return CompileKernels(kernels, options); });
}

absl::Status CheckTargetAvailable(absl::string_view name) {
  const Target* target = FindTarget(name);
  return target == nullptr ? absl::OkStatus() : target->Availability();
}

absl::StatusOr<BaselineGraph> CompileBaseline(const Graph& graph, const CompileOptions& options) {
  const CompileTimer timer;
  BaselineGraph baseline;
  auto find = [&](absl::Span<const Kernel> kernels) -> absl::StatusOr<Kernels> {
    baseline.num_kernels = static_cast<int>(kernels.size());
    const Target* target = FindTarget(options.target);
    if (target != nullptr) {
      absl::StatusOr<Kernels> found = target->FindKernels(kernels);
      baseline.is_final = found.ok();
      if (found.ok()) return found;
    }
    return FindTarget("tile")->CompileKernels(kernels);
  };
  DYNACC_ASSIGN_OR_RETURN(baseline.graph, Lower(graph, options, find));
  return baseline;
}

}  // namespace dynacc
