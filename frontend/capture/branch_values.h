// BranchValues: the branches of one call, decided by running what has been traced so far.
#pragma once

#include <utility>
#include <vector>

#include "frontend/arrays/array_namespace.h"
#include "frontend/sources/source.h"
#include "frontend/tracer/branch_oracle.h"

namespace dynacc::capture {

class BranchValues : public tracer::BranchOracle {
 public:
  // `roots`: of the call; they and what they refer to must outlive this.
  BranchValues(const sources::SourceRoots& roots, const arrays::ArrayNamespace& arrays)
      : roots_(roots), arrays_(arrays) {}

  // Runs the nodes that the condition needs on the tile target, whose bits are the kernels'. Random
  // generators are then what they were, so that the call itself draws the same numbers.
  absl::StatusOr<bool> Decide(symbolic::TraceContext& trace, const ir::Node* condition) override;

  // The nodes of the trace's graph that were asked for, of bools, and what they are in this call.
  const std::vector<std::pair<const ir::Node*, bool>>& decisions() const { return decisions_; }

  void Begin() override { decisions_.clear(); }

 private:
  const sources::SourceRoots roots_;
  const arrays::ArrayNamespace& arrays_;
  std::vector<std::pair<const ir::Node*, bool>> decisions_;
};

}  // namespace dynacc::capture
