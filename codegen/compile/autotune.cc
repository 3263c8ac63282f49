#include "codegen/compile/autotune.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "codegen/compile/compile_progress.h"
#include "codegen/ir/graph_text.h"
#include "codegen/targets/target_traits.h"
#include "codegen/tuning/tuner.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/run_frame.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/host_cpu.h"
#include "runtime/platform/thread_pool.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::compile {
namespace {

// Copies of arrays take no more than this: of larger ones nothing is tried.
constexpr int64_t kMostBytes = int64_t{1} << 30;

// Copies of a run's inputs that lie as the inputs do.
class InputCopies {
 public:
  // RESOURCE_EXHAUSTED if there is no room for them.
  absl::Status Make(absl::Span<const StridedView> inputs) {
    int64_t bytes = 0;
    for (const StridedView& input : inputs) {
      const MemoryBounds bounds = BoundsOf(input);
      bytes += bounds.end - bounds.begin;
      if (bytes > kMostBytes) return absl::ResourceExhaustedError("its arrays are too large");
    }
    for (const StridedView& input : inputs) DYNACC_RETURN_IF_ERROR(Add(input));
    return absl::OkStatus();
  }
  const std::vector<StridedView>& views() const { return views_; }

 private:
  // Elements alone are read: what lies between them may be nobody's.
  absl::Status Add(const StridedView& input) {
    const MemoryBounds bounds = BoundsOf(input);
    auto block = std::make_unique<executor::ScratchBlock>();
    if (!block->Allocate(bounds.end - bounds.begin + 1)) {
      return absl::ResourceExhaustedError("no memory for copies of its arrays");
    }
    StridedView copy = input;
    copy.data = block->data() + (input.data - bounds.begin);
    executor::CopyElements(input, copy);
    views_.push_back(copy);
    blocks_.push_back(std::move(block));
    return absl::OkStatus();
  }

  std::vector<StridedView> views_;
  std::vector<std::unique_ptr<executor::ScratchBlock>> blocks_;
};

// Takes results, in memory that the next run uses again, and lets no input be written.
class DiscardingSink : public executor::OutputSink {
 public:
  absl::Status Allocate(int index, StridedView& view) override {
    if (static_cast<size_t>(index) >= blocks_.size()) blocks_.resize(index + 1);
    if (blocks_[index] == nullptr) {
      blocks_[index] = std::make_unique<executor::ScratchBlock>();
      if (!blocks_[index]->Allocate(view.size() * ItemSize(view.dtype) + 1)) {
        blocks_[index] = nullptr;
        return absl::ResourceExhaustedError("no memory for a result");
      }
    }
    view.data = blocks_[index]->data();
    return absl::OkStatus();
  }
  bool MayWriteBack(uint32_t) override { return false; }

 private:
  std::vector<std::unique_ptr<executor::ScratchBlock>> blocks_;
};

class TunedModule : public cache::KernelModule {
 public:
  TunedModule(tuning::Choice choice, std::string note) : choice(choice), note(std::move(note)) {}
  const tuning::Choice choice;
  const std::string note;
};

// "fuse-rows=0, then in words what came of it", in two lines.
absl::StatusOr<std::shared_ptr<const cache::KernelModule>> LoadChoice(absl::string_view text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (lines.size() != 2) return absl::InvalidArgumentError("no choice of an autotuner");
  DYNACC_ASSIGN_OR_RETURN(const tuning::Choice choice, tuning::Choice::Parse(lines[0]));
  return std::make_shared<const TunedModule>(choice, lines[1]);
}

std::string NoteOf(const tuning::Tuned& tuned) {
  const std::string count =
      absl::StrCat(tuned.candidates, tuned.candidates == 1 ? " candidate" : " candidates");
  if (tuned.choice == tuning::Choice()) {
    return absl::StrCat("default, ", count, " not better");
  }
  return absl::StrCat(tuned.choice.ToText(), ", ", std::round(100 * tuned.gain) / 100,
                      " times as fast as the default, of ", count);
}

class Autotuner {
 public:
  Autotuner(const ir::Graph& graph, const CompileOptions& options,
            absl::Span<const StridedView> inputs, absl::Span<const ScalarValue> scalars)
      : graph_(graph), options_(options), inputs_(inputs), scalars_(scalars) {}

  // What the cache knows, or what is best of what is tried.
  absl::StatusOr<std::shared_ptr<const TunedModule>> Choose() {
    const std::string source = GraphText();
    cache::KernelModuleRequest request;
    request.key = Key(source);
    request.source = source;
    request.num_kernels = 0;
    request.compile = [this] { return Try(); };
    request.load = LoadChoice;
    DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const cache::KernelModule> module,
                            cache::KernelCache::ForProcess().Get(request));
    return std::static_pointer_cast<const TunedModule>(std::move(module));
  }

 private:
  // Without the program's lines.
  std::string GraphText() const {
    std::string text;
    for (absl::string_view line : absl::StrSplit(ir::PrintGraph(graph_), '\n')) {
      absl::StrAppend(&text, line.substr(0, line.find("  # ")), "\n");
    }
    return text;
  }

  // Sizes and strides decide; the values of floats do not.
  std::string Sizes() const {
    std::string text;
    for (const StridedView& view : inputs_) {
      absl::StrAppend(&text, Info(view.dtype).text, "[");
      for (int i = 0; i < view.rank; ++i) {
        absl::StrAppend(&text, view.shape[i], "/", view.strides[i], " ");
      }
      absl::StrAppend(&text, "]");
    }
    for (ScalarId id = 0; id < graph_.scalars().size(); ++id) {
      const bool is_float = graph_.scalars().expr(id).type == ScalarType::kFloat;
      if (!is_float) absl::StrAppend(&text, scalars_[id].i, " ");
    }
    return text;
  }

  cache::ContentHash Key(absl::string_view source) const {
    return cache::HashParts(
        {"autotune", DYNACC_VERSION, platform::HostCpuFingerprint(), platform::KernelCpuLevel(),
         absl::StrCat(platform::ThreadCount(), options_.fast_math ? " fast" : ""), options_.target,
         options_.disabled_passes, options_.form.ToText(), tuning::KnobTable(), source, Sizes()});
  }

  absl::StatusOr<std::string> Try() {
    const CompileProgress progress(options_.label);
    TraceSpan span("autotune");
    if (span) span.Begin(options_.label);
    DYNACC_RETURN_IF_ERROR(copies_.Make(inputs_));
    auto log = [this](const std::string& line) {
      if (!LogEnabled(LogTopic::kAutotune, 2)) return;
      Log(LogTopic::kAutotune, absl::StrCat(options_.label, ": ", line));
    };
    const tuning::TunerSettings settings = {
        .fast_math = options_.fast_math, .now = NowNanoseconds, .log = log};
    DYNACC_ASSIGN_OR_RETURN(
        const tuning::Tuned tuned,
        tuning::Tune([this](const tuning::Choice& choice) { return MakeCandidate(choice); },
                     settings));
    Count(ThreadStats().graphs_autotuned);
    return absl::StrCat(tuned.choice.ToText(), "\n", NoteOf(tuned));
  }

  absl::StatusOr<tuning::Candidate> MakeCandidate(const tuning::Choice& choice) {
    CompileOptions options = options_;
    options.tuning = choice;
    options.in_background = true;  // it has no progress of its own to show
    options.keeps_plan = false;
    DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<const executor::CompiledGraph> compiled,
                            CompileGraph(graph_, options));
    tuning::Candidate candidate;
    candidate.code = absl::StrCat(compiled->Describe(), "work ", choice.Get(tuning::Knob::kWork));
    candidate.run = [this, compiled] { return RunOnce(*compiled); };
    return candidate;
  }

  absl::Status RunOnce(const executor::CompiledGraph& compiled) {
    executor::RunArguments arguments;
    arguments.inputs = copies_.views();
    arguments.scalars = scalars_;
    arguments.sink = &sink_;
    return compiled.Run(arguments).status();
  }

  const ir::Graph& graph_;
  const CompileOptions& options_;
  const absl::Span<const StridedView> inputs_;
  const absl::Span<const ScalarValue> scalars_;
  InputCopies copies_;
  DiscardingSink sink_;
};

}  // namespace

bool MayBeTuned(const ir::Graph& graph, const CompileOptions& options) {
  const bool computes = absl::c_none_of(graph.nodes(), [](const ir::Node* node) {
    return ir::MakesCall(*node) || !node->attrs.subgraphs.empty();
  });
  const targets::TargetTraits target = TraitsOf(options.target);
  return computes && graph.scalars().num_data_dependent() == 0 && options.placement.device == 0 &&
         !target.interprets_graphs && !target.has_device;
}

CompileOptions Autotune(const ir::Graph& graph, const CompileOptions& options,
                        absl::Span<const StridedView> inputs,
                        absl::Span<const ScalarValue> scalars) {
  CompileOptions chosen = options;
  const absl::StatusOr<std::shared_ptr<const TunedModule>> choice =
      Autotuner(graph, options, inputs, scalars).Choose();
  if (choice.ok()) {
    chosen.tuning = (*choice)->choice;
    chosen.tuning_note = (*choice)->note;
  } else {
    chosen.tuning_note = absl::StrCat("not tried: ", choice.status().message());
  }
  if (LogEnabled(LogTopic::kAutotune)) {
    Log(LogTopic::kAutotune, absl::StrCat(options.label, ": ", chosen.tuning_note));
  }
  return chosen;
}

}  // namespace dynacc::compile
