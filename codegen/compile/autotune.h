// Autotuning: which way to compile a graph is the fastest here on the arrays at hand.
//
// Candidates (codegen/tuning) run on copies of the arrays and write into memory of their own, so
// nothing of the program's is touched, whoever uses it meanwhile. What is chosen is kept in the
// cache of kernels, by graph, sizes, options and machine, and not tried again.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/graph.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::compile {

// Whether there is anything to choose: graphs for the host whose runs do nothing but compute.
bool MayBeTuned(const ir::Graph& graph, const CompileOptions& options);

// The options with what is chosen. `inputs` and `scalars` are those of a run (RunArguments) of the
// graph, for which MayBeTuned holds. Where a candidate cannot run on them the usual choice stays.
CompileOptions Autotune(const ir::Graph& graph, const CompileOptions& options,
                        absl::Span<const StridedView> inputs,
                        absl::Span<const ScalarValue> scalars);

// What may be faster than the graph that a program runs; with the same bits.
struct Rival {
  std::shared_ptr<const executor::CompiledGraph> graph;
  std::string choice;    // "tile=512"
  std::string left_out;  // CompileOptions::LeftOut
};

// One graph that is tuned in the background.
class TuningJob {
 public:
  // Whether result() may be read; stays false if the queue is stopped first.
  bool done() const { return done_.load(std::memory_order_acquire); }
  // The most promising first. CANCELLED: the process forked, or the queue was stopped.
  const absl::StatusOr<std::vector<Rival>>& result() const { return result_; }

  void Finish(absl::StatusOr<std::vector<Rival>> result);  // by its thread

 private:
  absl::StatusOr<std::vector<Rival>> result_ = absl::UnavailableError("waiting");
  std::atomic<bool> done_{false};
};

// Tunes in the background what MayBeTuned. The graph and the arrays are copied here, candidates are
// compiled by CompileLater and run on the thread of RunWhenIdle (compile_queue.h), whose own
// processor time is the clock. No kernel uses other threads there, so that the program finds its
// pool free. How a kernel does on several is not tried, therefore; a rival that uses them sooner is
// among the results, and trying it is the caller's. Null: one graph is being tuned already, or
// memory is short for this one.
std::shared_ptr<const TuningJob> AutotuneLater(const ir::Graph& graph,
                                               const CompileOptions& options,
                                               absl::Span<const StridedView> inputs,
                                               absl::Span<const ScalarValue> scalars);

}  // namespace dynacc::compile
