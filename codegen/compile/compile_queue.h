// Graphs compiled on a thread of their own, while something slower serves callers.
//
// The thread lives as long as there is something to compile, has all signals blocked, and touches
// neither Python nor any caller's graph. A fork waits for the compile in hand, so that the child
// finds no lock taken; what still waits is compiled in parent and child.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "codegen/compile/compiler.h"

namespace dynacc::compile {

// One graph to be compiled.
class CompileJob {
 public:
  CompileJob(std::unique_ptr<ir::Graph> graph, CompileOptions options)
      : graph_(std::move(graph)), options_(std::move(options)) {}

  // Whether result() may be read; stays false if the queue is stopped first.
  bool done() const { return done_.load(std::memory_order_acquire); }
  const absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>>& result() const {
    return result_;
  }

  void Run();  // by the queue

 private:
  std::unique_ptr<ir::Graph> graph_;
  CompileOptions options_;
  absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> result_ =
      absl::UnavailableError("waiting");
  std::atomic<bool> done_{false};
};

// Queues a copy of `graph`. The job is never done if no thread can be had. Its result is
// RESOURCE_EXHAUSTED if memory was too short, of which there may be more later.
std::shared_ptr<const CompileJob> CompileLater(const ir::Graph& graph, CompileOptions options);

// Queues something else that compiles, does not throw, and touches neither Python nor what may not
// be destroyed on that thread.
void CompileLater(std::function<void()> compile);

// Queues what takes seconds, on another thread, which takes what others leave of the processors.
// Before a fork, and when the queue is stopped, `stop` says true, and the job is to end soon. It
// may queue compiles and wait for them. For the rest as above.
void RunWhenIdle(std::function<void(bool (*stop)())> job);

// Forgets what waits, and waits for the compile in hand (some 20 ms). The queues may be used again.
void StopCompiling();

}  // namespace dynacc::compile
