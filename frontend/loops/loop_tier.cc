#include "frontend/loops/loop_tier.h"

#include <algorithm>
#include <new>
#include <utility>

#include "codegen/compile/compile_queue.h"
#include "codegen/loops/loop_source.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/loops/loop_interpreter.h"

namespace dynacc::loops {
namespace {

// Rounds, of all runs together, after which a compile (some hundredths of a second) is worth it.
constexpr int64_t kRoundsBeforeCompile = 200'000;
// Interpreted at a stretch meanwhile: some milliseconds.
constexpr int64_t kStretch = 100'000;

// Larger ones take Clang long.
constexpr size_t kMostOps = 4000;

bool Compiles() { return compile::TraitsOf(ProcessOptions().target).compiles_loops; }
bool CompilesAtOnce() { return ProcessOptions().tier_up == "0"; }

absl::StatusOr<std::shared_ptr<const cpu::CompiledLoop>> Compile(const LoopProgram& program,
                                                                 const LoopInputs& inputs) {
  try {
    return cpu::CompileLoop(PrintLoopSource(program, inputs));
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory to compile a loop");
  }
}

}  // namespace

void LoopTier::Start(const LoopProgram& program, const LoopFrame& frame) {
  job_ = std::make_shared<Job>();
  const auto compile = [job = job_, program, inputs = InputsOf(program, frame)] {
    absl::StatusOr<std::shared_ptr<const cpu::CompiledLoop>> loop = Compile(program, inputs);
    if (loop.ok()) job->loop = *std::move(loop);
    job->memory_is_short = absl::IsResourceExhausted(loop.status());
    job->done.store(true, std::memory_order_release);
    if (!loop.ok()) Log(LogTopic::kPolicy, loop.status().ToString());
  };
  CompilesAtOnce() ? compile() : compile::CompileLater(compile);
}

bool LoopTier::IsDue() const {
  if (job_ != nullptr || rounds_ < compile_after_) return false;
  return CompilesAtOnce() || rounds_ >= kRoundsBeforeCompile;
}

int LoopTier::Run(const LoopProgram& program, LoopFrame& frame) {
  const bool may_compile = Compiles() && program.ops.size() <= kMostOps;
  if (may_compile && IsDue()) Start(program, frame);
  bool done = job_ != nullptr && job_->done.load(std::memory_order_acquire);
  if (done && job_->memory_is_short) {
    job_ = nullptr;
    compile_after_ = std::max(kRoundsBeforeCompile, 2 * rounds_);
    done = false;
  }
  if (done && job_->loop != nullptr) return job_->loop->Run(program.callees.data(), frame);
  if (may_compile && !done) frame.most_rounds = kStretch;
  const int exit = InterpretLoop(program, frame);
  rounds_ += frame.rounds;
  return exit;
}

}  // namespace dynacc::loops
