// RunPasses: the graph passes of passes.def, in order, each timed, logged, verified.
//
// A pass keeps the indices of inputs, the order of outputs and the ids of the ScalarProgram. It may
// add expressions to the ScalarProgram (never inputs): whoever holds values of the program as it
// was before completes them with ScalarProgram::EvaluateRest.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"

namespace dynacc::passes {

enum class PassKind { kRequired, kOptional, kForDevice, kFastMath, kGoodSizes };  // passes.def
// Whether a graph without the pass runs all the same.
inline bool IsOptional(PassKind kind) {
  return kind != PassKind::kRequired && kind != PassKind::kForDevice;
}

struct Pass {
  const char* name;
  std::unique_ptr<ir::Graph> (*run)(const ir::Graph& graph);  // null: there is nothing to do
  PassKind kind;
  const char* why_here;
};

// The rows of passes.def.
absl::Span<const Pass> AllPasses();

struct PassOptions {
  std::vector<std::string> disabled;  // names of optional passes to leave out
  bool for_device = false;            // whether the graph runs on a device
  bool fast_math = false;             // whether bits may change
  bool has_good_sizes = false;        // targets::TargetTraits
  // Told the graph after each pass; may be empty.
  std::function<void(const Pass& pass, const ir::Graph& after)> after;
};

// Names given in DYNACC_DISABLE_PASSES (which may name fusion rules too: no name is an error).
PassOptions ProcessPassOptions();

// What they make of `graph`. Errors: INTERNAL if the graph does not verify, before or after a pass,
// naming the pass.
absl::StatusOr<std::unique_ptr<ir::Graph>> RunPasses(const ir::Graph& graph,
                                                     const PassOptions& options);

// Runs one pass and verifies the result; null if there is nothing to do.
absl::StatusOr<std::unique_ptr<ir::Graph>> RunPass(const Pass& pass, const ir::Graph& graph);

}  // namespace dynacc::passes
