#include "codegen/compile/autotune.h"

#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "codegen/compile/compile_progress.h"
#include "codegen/compile/compile_queue.h"
#include "codegen/ir/graph_text.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/targets/compile_threads.h"
#include "codegen/targets/target_traits.h"
#include "codegen/tuning/tuner.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/memory_reserve.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/measure.h"
#include "runtime/executor/run_frame.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/host_cpu.h"
#include "runtime/platform/thread_pool.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::compile {
namespace {

// Copies of arrays take no more than this: of larger ones nothing is tried.
constexpr int64_t kMostBytes = int64_t{1} << 30;
// The same in the background, where the program waits for the copies alone: some 50 ms.
constexpr int64_t kMostBytesInBackground = int64_t{1} << 28;

// Copies of a run's inputs that lie as the inputs do.
class InputCopies {
 public:
  // RESOURCE_EXHAUSTED if there is no room for them.
  absl::Status Make(absl::Span<const StridedView> inputs, int64_t most_bytes) {
    int64_t bytes = 0;
    for (const StridedView& input : inputs) {
      const MemoryBounds bounds = BoundsOf(input);
      bytes += bounds.end - bounds.begin;
      if (bytes > most_bytes) return absl::ResourceExhaustedError("its arrays are too large");
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

// Where candidates run, and by which clock.
struct TuningPlace {
  // Of the thread of RunWhenIdle, whose inputs are copies; null: on the program's own thread.
  bool (*stop)() = nullptr;

  bool ShallStop() const { return stop != nullptr && stop(); }
  int64_t (*Clock() const)() { return stop != nullptr ? ThreadNanoseconds : NowNanoseconds; }
};

using Compiled = absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>>;

class Autotuner {
 public:
  Autotuner(const ir::Graph& graph, const CompileOptions& options,
            absl::Span<const StridedView> inputs, absl::Span<const ScalarValue> scalars,
            TuningPlace place = {})
      : graph_(graph), options_(options), inputs_(inputs), scalars_(scalars), place_(place) {}

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
    std::optional<CompileProgress> progress;
    if (place_.stop == nullptr) progress.emplace(options_.label);
    TraceSpan span("autotune");
    if (span) span.Begin(options_.label);
    if (place_.stop == nullptr) {
      DYNACC_RETURN_IF_ERROR(copies_.Make(inputs_, kMostBytes));
      inputs_ = copies_.views();
    }
    auto log = [this](const std::string& line) {
      if (!LogEnabled(LogTopic::kAutotune, 2)) return;
      Log(LogTopic::kAutotune, absl::StrCat(options_.label, ": ", line));
    };
    const tuning::TunerSettings settings = {
        .fast_math = options_.fast_math, .now = place_.Clock(), .log = log};
    DYNACC_ASSIGN_OR_RETURN(
        const tuning::Tuned tuned,
        tuning::Tune([this](absl::Span<const tuning::Choice> choices) { return Make(choices); },
                     settings));
    if (place_.ShallStop()) return absl::CancelledError("told to stop");
    Count(ThreadStats().graphs_autotuned);
    return absl::StrCat(tuned.choice.ToText(), "\n", NoteOf(tuned));
  }

  // All are there before one runs, so that no compile disturbs a clock.
  std::vector<absl::StatusOr<tuning::Candidate>> Make(absl::Span<const tuning::Choice> choices) {
    const std::vector<Compiled> compiled =
        place_.stop == nullptr ? CompileSideBySide(choices) : CompileOnQueue(choices);
    std::vector<absl::StatusOr<tuning::Candidate>> made;
    for (size_t i = 0; i < choices.size(); ++i) {
      if (compiled[i].ok()) {
        made.push_back(MakeCandidate(*compiled[i], choices[i]));
      } else {
        made.push_back(compiled[i].status());
      }
    }
    return made;
  }

  CompileOptions OptionsOf(const tuning::Choice& choice) const {
    CompileOptions options = options_;
    options.tuning = choice;
    options.in_background = true;  // it has no progress of its own to show
    options.keeps_plan = false;
    options.tries_again = true;  // what memory is too short for is no candidate
    return options;
  }

  std::vector<Compiled> CompileSideBySide(absl::Span<const tuning::Choice> choices) const {
    std::vector<Compiled> compiled(choices.size(), absl::UnknownError("not made"));
    targets::RunOnThreads(static_cast<int>(choices.size()), [&](int i) {
      TraceSpan span("candidate");
      if (span) span.Begin(options_.label);
      try {
        compiled[i] = CompileGraph(graph_, OptionsOf(choices[i]));
      } catch (const std::bad_alloc&) {
        compiled[i] = absl::ResourceExhaustedError("no memory to compile a candidate");
      }
    });
    return compiled;
  }

  // By the thread that compiles what the program waits for: a compiler that has no priority would
  // keep that one waiting for its locks.
  std::vector<Compiled> CompileOnQueue(absl::Span<const tuning::Choice> choices) const {
    std::vector<std::shared_ptr<const CompileJob>> jobs;
    std::vector<Compiled> compiled;
    for (const tuning::Choice& choice : choices) {
      if (!place_.ShallStop()) jobs.push_back(CompileLater(graph_, OptionsOf(choice)));
    }
    for (const auto& job : jobs) {
      while (!job->done() && !place_.ShallStop()) absl::SleepFor(absl::Milliseconds(1));
      compiled.push_back(job->done() ? job->result() : absl::CancelledError("told to stop"));
    }
    compiled.resize(choices.size(), absl::CancelledError("told to stop"));
    return compiled;
  }

  tuning::Candidate MakeCandidate(std::shared_ptr<const executor::CompiledGraph> compiled,
                                  const tuning::Choice& choice) {
    tuning::Candidate candidate;
    const bool has_threads = platform::ThreadCount() > 1;
    candidate.code =
        absl::StrCat(compiled->Describe(), has_threads ? choice.ToText(tuning::Knob::kWork) : "");
    candidate.run = [this, compiled] { return RunOnce(*compiled); };
    // Of each step that runs groups: which part it belongs to. Several may run one group.
    std::vector<int> part_of;
    for (const executor::GroupRange& groups : compiled->Groups()) {
      const tuning::Part part = {groups.first, groups.last};
      const bool is_new =
          groups.first >= 0 && (candidate.parts.empty() || candidate.parts.back() != part);
      if (is_new) candidate.parts.push_back(part);
      part_of.push_back(groups.first < 0 ? -1 : static_cast<int>(candidate.parts.size()) - 1);
    }
    candidate.run_parts = [this, compiled, part_of](absl::Span<int64_t> nanoseconds) {
      return RunMeasured(*compiled, part_of, nanoseconds);
    };
    return candidate;
  }

  absl::Status RunMeasured(const executor::CompiledGraph& compiled, absl::Span<const int> part_of,
                           absl::Span<int64_t> nanoseconds) {
    executor::StepMeter meter(part_of.size(), place_.Clock());
    DYNACC_RETURN_IF_ERROR(compiled.RunMeasured(Arguments(), meter).status());
    for (size_t step = 0; step < part_of.size(); ++step) {
      if (part_of[step] >= 0) nanoseconds[part_of[step]] += meter.Of(step).nanoseconds;
    }
    return absl::OkStatus();
  }

  absl::Status RunOnce(const executor::CompiledGraph& compiled) {
    if (place_.ShallStop()) return absl::CancelledError("told to stop");
    return compiled.Run(Arguments()).status();
  }

  executor::RunArguments Arguments() {
    executor::RunArguments arguments;
    arguments.inputs = inputs_;
    arguments.scalars = scalars_;
    arguments.sink = &sink_;
    arguments.stop = place_.stop;
    return arguments;
  }

  const ir::Graph& graph_;
  const CompileOptions& options_;
  absl::Span<const StridedView> inputs_;  // copies, once anything runs
  const absl::Span<const ScalarValue> scalars_;
  const TuningPlace place_;
  InputCopies copies_;
  DiscardingSink sink_;
};

// What a job in the background works on.
struct TuningTask {
  std::unique_ptr<ir::Graph> graph;
  CompileOptions options;
  InputCopies inputs;
  std::vector<ScalarValue> scalars;
};

absl::StatusOr<std::vector<Rival>> FindRivals(const TuningTask& task, bool (*stop)()) {
  const bool has_threads = platform::ThreadCount() > 1;
  const platform::ScopedThreadLimit one_thread(1);
  DYNACC_ASSIGN_OR_RETURN(
      const std::shared_ptr<const TunedModule> chosen,
      Autotuner(*task.graph, task.options, task.inputs.views(), task.scalars, {.stop = stop})
          .Choose());
  std::vector<tuning::Choice> choices;
  if (chosen->choice != tuning::Choice()) choices.push_back(chosen->choice);
  if (has_threads) {
    constexpr int kSooner = 400;  // percent
    choices.push_back(chosen->choice);
    choices.back().Set(tuning::Knob::kWork, kSooner);
  }
  std::vector<Rival> rivals;
  for (const tuning::Choice& choice : choices) {
    if (stop()) return absl::CancelledError("told to stop");
    CompileOptions options = task.options;
    options.tuning = choice;
    options.tuning_note = absl::StrCat(choice.ToText(), ", found in the background");
    options.in_background = options.tries_again = true;
    DYNACC_ASSIGN_OR_RETURN(auto compiled, CompileGraph(*task.graph, options));
    rivals.push_back({std::move(compiled), choice.ToText(), options.LeftOut()});
  }
  return rivals;
}

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

void TuningJob::Finish(absl::StatusOr<std::vector<Rival>> result) {
  result_ = std::move(result);
  done_.store(true, std::memory_order_release);
}

std::shared_ptr<const TuningJob> AutotuneLater(const ir::Graph& graph,
                                               const CompileOptions& options,
                                               absl::Span<const StridedView> inputs,
                                               absl::Span<const ScalarValue> scalars) {
  static std::mutex mutex;
  static std::weak_ptr<const TuningJob>& last = *new std::weak_ptr<const TuningJob>;
  const std::lock_guard lock(mutex);
  if (const std::shared_ptr<const TuningJob> job = last.lock(); job != nullptr && !job->done()) {
    return nullptr;
  }
  const auto task = std::make_shared<TuningTask>();
  if (MemoryIsShort() || !task->inputs.Make(inputs, kMostBytesInBackground).ok()) return nullptr;
  task->graph = passes::FilterGraph(graph, [](const ir::Node&) { return true; });
  task->options = options;
  task->scalars.assign(scalars.begin(), scalars.end());
  const auto job = std::make_shared<TuningJob>();
  last = job;
  RunWhenIdle([task, job](bool (*stop)()) {
    try {
      job->Finish(FindRivals(*task, stop));
    } catch (const std::bad_alloc&) {
      job->Finish(absl::ResourceExhaustedError("no memory to tune a graph"));
    }
  });
  return job;
}

}  // namespace dynacc::compile
