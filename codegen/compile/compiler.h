// The pipeline of codegen: Graph -> passes -> schedule -> kernels -> CompiledGraph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "codegen/targets/target_traits.h"
#include "codegen/tuning/choice.h"
#include "runtime/base/options.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/offload.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::compile {

// How kernels are compiled, by the options of these names: no bit of any result follows from it.
struct KernelForm {
  int tile = 0;    // 0: not said
  int unroll = 0;  // 0: not said
  bool non_temporal = true;

  static KernelForm Of(const Options& options);
  std::string ToText() const;  // for keys of caches
};

struct CompileOptions {
  bool fast_math = false;      // contraction, reordering, our own polynomials
  std::string target = "cpu";  // a row of codegen/compile/targets.def
  std::string label;           // what is compiled, for logs: "f (prog.py:12)"
  // Names of passes and fusion rules to leave out, separated by commas.
  std::string disabled_passes = ProcessOptions().disable_passes;
  bool in_background = false;  // nobody waits for it
  // Products that may add in any order may be oneDNN's. False: they are those of arrays.
  bool has_product_library = true;
  // Where memory is too short for the compiler: RESOURCE_EXHAUSTED, and the caller tries again
  // later, instead of library loops for good.
  bool tries_again = false;
  // Arrays in a device's memory: then the target must be that device's, and errors are UNAVAILABLE
  // where others run on the host.
  executor::Placement placement = {};
  bool cuda_graphs = false;  // the option of that name
  tuning::Choice tuning = {};
  KernelForm form;          // goes before the choice
  bool keeps_plan = true;   // on disk, and looks for it there (kept_plan.h)
  std::string tuning_note;  // what autotuning says of it (autotune.h), for those who look

  // The names of all passes and rules that the compile leaves out.
  std::string LeftOut() const { return disabled_passes + tuning.DisabledRules(); }
};

// Compiles `graph`, which must verify. The graph is not needed afterwards. Errors: UNIMPLEMENTED
// (the target cannot do some op; the caller breaks the graph there), UNAVAILABLE (no compiler),
// RESOURCE_EXHAUSTED (options.tries_again), INTERNAL (a bug, with the emitted source in the
// message).
absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> CompileGraph(
    const ir::Graph& graph, const CompileOptions& options);

// Has `kernels` made into something that runs.
using KernelMaker =
    absl::FunctionRef<absl::StatusOr<std::vector<std::shared_ptr<const kernel::CompiledKernel>>>(
        absl::Span<const kernel::Kernel> kernels)>;

// The same with kernels that `make` makes, which is asked once about the graph and once about each
// that its nodes run.
absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> CompileGraphWith(
    const ir::Graph& graph, const CompileOptions& options, KernelMaker make);

// What others must know of the target of that name; nothing holds for one that is not there.
targets::TargetTraits TraitsOf(absl::string_view target);

// What can run at once.
struct BaselineGraph {
  std::shared_ptr<const executor::CompiledGraph> graph;
  bool is_final = false;  // made of what the target would make, too
  int num_kernels = 0;    // what the target would have to compile otherwise
};

// The same without waiting for a compiler: with the target's kernels if they are all in its cache,
// otherwise with library loops, which give the same bits (unless options.fast_math).
absl::StatusOr<BaselineGraph> CompileBaseline(const ir::Graph& graph,
                                              const CompileOptions& options);

}  // namespace dynacc::compile
