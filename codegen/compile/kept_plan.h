// KeptPlan: what passes, schedule and plan made of a graph, kept on disk beside the kernels. A
// fresh process that has traced the same graph goes on from there, and finds the kernels as ever.
//
// A key names all that decides what is made: the graph, the options of its compile, the CPU, and
// this very build of DynaCC. The bytes are the plan's (runtime/program/plan_archive.h), the
// kernels' texts and a description. There is no code in them. Bytes that are broken, or do not fit
// what this process has, are as good as none.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/compile/compiler.h"
#include "codegen/compile/targets.h"
#include "codegen/ir/graph.h"
#include "runtime/cache/content_hash.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::compile {

// The kernels of a compile, as they were asked for, and what was made of them.
class RecordedKernels {
 public:
  void Record(absl::Span<const kernel::Kernel> kernels, const Kernels& made);

  absl::Span<const kernel::Kernel> kernels() const { return kernels_; }
  const Kernels& made() const { return made_; }

 private:
  std::vector<kernel::Kernel> kernels_;
  Kernels made_;
  std::set<std::string, std::less<>> files_;  // that steps name: the graph's own go with it
};

class KeptPlan {
 public:
  // Of the compile of `graph`, which outlives it.
  KeptPlan(const ir::Graph& graph, const CompileOptions& options,
           cache::KernelCache& cache = cache::KernelCache::ForProcess());

  // Under which it is kept.
  const cache::ContentHash& key() const { return key_; }

  // False for what is on a device, for graphs that run graphs, for products by oneDNN, for ops that
  // somebody registered, where extensions take part, and where somebody wants to see passes and
  // schedule at work.
  static bool MayBeKept(const ir::Graph& graph, const CompileOptions& options);

  // The compiled graph, with kernels that `make` makes. NOT_FOUND if no plan is kept that is whole;
  // errors of `make`.
  absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> Load(KernelMaker make) const;

  // Keeps the plan of `compiled`, which was made with these kernels. Does nothing if a step of it
  // has no form in a file.
  void Keep(const executor::CompiledGraph& compiled, const RecordedKernels& recorded) const;

 private:
  const ir::Graph& graph_;
  const std::vector<int64_t> calls_;
  const bool fast_math_;
  const cache::ContentHash key_;
  cache::KernelCache& cache_;
};

}  // namespace dynacc::compile
