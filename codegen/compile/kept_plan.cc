#include "codegen/compile/kept_plan.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/extensions/extensions.h"
#include "codegen/ir/graph_content.h"
#include "codegen/ir/matmul_attrs.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/registered_ops.h"
#include "runtime/platform/build_id.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/host_cpu.h"
#include "runtime/program/archive.h"
#include "runtime/program/plan_archive.h"

namespace dynacc::compile {
namespace {

// A kernel without its name, and where each of its steps comes from.
struct KeptKernel {
  struct Line {
    int32_t file = 0;
    int32_t line = 0;
  };
  std::string text;
  std::vector<Line> lines;
};

// A stretch of the description, with the source of a kernel behind it, or of none (-1).
struct Stretch {
  std::string text;
  int32_t kernel = -1;
};

// What the bytes hold.
struct Contents {
  std::vector<std::string> files;
  std::vector<KeptKernel> kernels;
  std::vector<Stretch> description;
  std::string plan;

  void Visit(program::Archive& archive) {
    archive.List(files, [&](std::string& file) { archive.Text(file); });
    archive.List(kernels, [&](KeptKernel& kernel) {
      archive.Text(kernel.text);
      archive.List(kernel.lines, [&](KeptKernel::Line& line) {
        archive.Within<int32_t>(line.file, 0, static_cast<int64_t>(files.size()),
                                "a file that is not there");
        archive.Number(line.line);
      });
    });
    archive.List(description, [&](Stretch& stretch) {
      archive.Text(stretch.text);
      archive.Within<int32_t>(stretch.kernel, -1, static_cast<int64_t>(kernels.size()),
                              "a kernel that is not there");
    });
    archive.Text(plan);
  }
};

std::string NameOf(size_t kernel) { return absl::StrCat("k", kernel); }

bool HasSource(const kernel::CompiledKernel& compiled, const std::string& text) {
  return compiled.source() != text;
}

// Each kernel once, and which one each given kernel is.
class KernelTable {
 public:
  explicit KernelTable(Contents& contents) : contents_(contents) {}

  int Add(kernel::Kernel kernel) {
    kernel.name = NameOf(0);
    const std::string text = kernel::KernelText(kernel);
    const auto [found, is_new] =
        numbers_.try_emplace(text, static_cast<int>(contents_.kernels.size()));
    if (!is_new) return found->second;
    KeptKernel& kept = contents_.kernels.emplace_back();
    kept.text = text;
    for (const kernel::KernelStep& step : kernel.steps) {
      kept.lines.push_back({FileNumber(step.file), step.line});
    }
    return found->second;
  }

 private:
  int32_t FileNumber(absl::string_view file) {
    const auto found = absl::c_find(contents_.files, file);
    const auto number = static_cast<int32_t>(found - contents_.files.begin());
    if (found == contents_.files.end()) contents_.files.emplace_back(file);
    return number;
  }

  Contents& contents_;
  absl::flat_hash_map<std::string, int> numbers_;
};

// Cuts the sources of kernels out of a description, in which they stand in order.
std::vector<Stretch> WithoutSources(const std::string& description, const Kernels& made,
                                    absl::Span<const kernel::Kernel> kernels,
                                    absl::Span<const int> numbers) {
  std::vector<Stretch> stretches;
  size_t from = 0;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!HasSource(*made[i], kernel::KernelText(kernels[i]))) continue;
    const std::string& source = made[i]->source();
    const size_t at = description.find(source, from);
    if (at == std::string::npos) continue;
    stretches.push_back({description.substr(from, at - from), numbers[i]});
    from = at + source.size();
  }
  stretches.push_back({description.substr(from), -1});
  return stretches;
}

std::string WithSources(const std::vector<Stretch>& stretches,
                        absl::Span<const program::BoundKernel> kernels) {
  std::vector<absl::string_view> sources;
  for (const program::BoundKernel& kernel : kernels) {
    const bool has_source = HasSource(*kernel.compiled, kernel::KernelText(kernel.kernel));
    sources.push_back(has_source ? absl::string_view(kernel.compiled->source()) : "");
  }
  std::string description;
  for (const Stretch& stretch : stretches) {
    absl::StrAppend(&description, stretch.text, stretch.kernel < 0 ? "" : sources[stretch.kernel]);
  }
  return description;
}

// The kernels, whose files' names stay `contents`' own.
absl::StatusOr<std::vector<kernel::Kernel>> ParseKernels(const Contents& contents, bool fast_math) {
  std::vector<kernel::Kernel> kernels;
  for (const KeptKernel& kept : contents.kernels) {
    DYNACC_ASSIGN_OR_RETURN(kernel::Kernel kernel, kernel::ParseKernel(kept.text));
    if (kernel.steps.size() != kept.lines.size()) {
      return absl::InvalidArgumentError("a kernel with lines of another one");
    }
    for (size_t i = 0; i < kernel.steps.size(); ++i) {
      kernel.steps[i].file = contents.files[kept.lines[i].file].c_str();
      kernel.steps[i].line = kept.lines[i].line;
    }
    kernel.name = NameOf(kernels.size());
    kernel.fast_math = fast_math;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

kernel::LibraryLoop FindLoop(Op op, DType dtype) {
  return kernel::FindLibraryLoop(static_cast<int>(op), dtype);
}

// Of this process, with the graph's calls.
program::PlanHost HostOf(absl::Span<const int64_t> calls) {
  program::PlanHost host;
  host.find_loop = FindLoop;
  host.is_kept = true;
  host.calls = calls;
  return host;
}

cache::ContentHash KeyOf(const ir::Graph& graph, const CompileOptions& options) {
  return cache::HashParts({"plan", platform::BuildId(), platform::HostCpuFingerprint(),
                           platform::KernelCpuLevel(), options.target,
                           options.fast_math ? "fast" : "",
                           options.has_product_library ? "library" : "", options.disabled_passes,
                           ProcessOptions().disable_passes, options.tuning.ToText(),
                           options.form.ToText(), options.tuning_note, ir::GraphContent(graph)});
}

// Whether who looks at the log would miss something.
bool IsWatched() {
  return LogEnabled(LogTopic::kGraph, 2) || LogEnabled(LogTopic::kSchedule) ||
         LogEnabled(LogTopic::kOutputCode) || ProcessOptions().perf_map;
}

}  // namespace

void RecordedKernels::Record(absl::Span<const kernel::Kernel> kernels, const Kernels& made) {
  kernels_.assign(kernels.begin(), kernels.end());
  made_ = made;
  for (kernel::Kernel& kernel : kernels_) {
    for (kernel::KernelStep& step : kernel.steps)
      step.file = files_.emplace(step.file).first->c_str();
  }
}

KeptPlan::KeptPlan(const ir::Graph& graph, const CompileOptions& options, cache::KernelCache& cache)
    : graph_(graph),
      calls_(ir::LibraryCallsOf(graph)),
      fast_math_(options.fast_math),
      key_(KeyOf(graph, options)),
      cache_(cache) {}

bool KeptPlan::MayBeKept(const ir::Graph& graph, const CompileOptions& options) {
  const extensions::Extensions& extended = extensions::TheExtensions();
  const bool is_extended =
      !extended.vetoes.empty() || !extended.rules.empty() || !extended.rewrites.empty();
  return !platform::BuildId().empty() && !is_extended && !IsWatched() &&
         options.placement.device == 0 && !TraitsOf(options.target).has_device &&
         absl::c_none_of(graph.nodes(), [](const ir::Node* node) {
           // What an op that somebody registered means is not in the key.
           return !node->attrs.subgraphs.empty() || IsRegistered(node->op) ||
                  (node->op == Op::kMatmul && ir::MatmulHas(node, ir::kMatmulAnyOrder));
         });
}

absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> KeptPlan::Load(
    KernelMaker make) const {
  const std::optional<std::string> bytes = cache_.FindBytes(key_);
  if (!bytes.has_value()) return absl::NotFoundError("no plan is kept");
  program::Archive archive(*bytes);
  Contents contents;
  contents.Visit(archive);
  archive.Require(archive.AtEnd(), "more bytes than a kept plan has");
  if (!archive.ok()) return absl::NotFoundError(archive.status().message());
  absl::StatusOr<std::vector<kernel::Kernel>> kernels = ParseKernels(contents, fast_math_);
  if (!kernels.ok()) return absl::NotFoundError(kernels.status().message());
  DYNACC_ASSIGN_OR_RETURN(const Kernels made, make(*kernels));
  std::vector<program::BoundKernel> bound;
  for (size_t i = 0; i < made.size(); ++i) {
    bound.push_back({std::move((*kernels)[i]), made[i]});
  }
  program::PlanHost host = HostOf(calls_);
  host.description = WithSources(contents.description, bound);
  absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> graph =
      program::LoadPlan(contents.plan, bound, static_cast<int>(graph_.inputs().size()),
                        static_cast<int>(graph_.outputs().size()), host);
  if (!graph.ok()) return absl::NotFoundError(graph.status().message());
  Count(ThreadStats().plans_found);
  return *std::move(graph);
}

void KeptPlan::Keep(const executor::CompiledGraph& compiled,
                    const RecordedKernels& recorded) const {
  const absl::Span<const kernel::Kernel> kernels = recorded.kernels();
  const Kernels& made = recorded.made();
  const auto& executor = dynamic_cast<const executor::GraphExecutor&>(compiled);
  Contents contents;
  KernelTable table(contents);
  std::vector<int> numbers;
  absl::flat_hash_map<const kernel::CompiledKernel*, int> number_of;
  for (size_t i = 0; i < kernels.size(); ++i) {
    numbers.push_back(table.Add(kernels[i]));
    number_of.emplace(made[i].get(), numbers.back());
  }
  const program::PlanHost host = HostOf(calls_);
  absl::StatusOr<std::string> plan = program::SavePlan(
      executor, [&](const kernel::CompiledKernel& kernel) { return number_of.at(&kernel); }, host);
  if (!plan.ok()) return;
  contents.plan = *std::move(plan);
  contents.description = WithoutSources(executor.Describe(), made, kernels, numbers);
  program::Archive archive;
  contents.Visit(archive);
  cache_.KeepBytes(key_, archive.written());
}

}  // namespace dynacc::compile
