// BranchOracle: decides branches on values that the graph computes.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc::tracer {

// Without one (TraceRoot::branches) such a branch is a graph break. With one the trace goes on
// along the side that this call takes, and whoever runs the graph has to compare what it computes.
class BranchOracle {
 public:
  virtual ~BranchOracle() = default;

  // A trace begins, perhaps again.
  virtual void Begin() = 0;

  // The truth of `condition`, of rank 0, in the call that is traced. GraphBreak if that is not
  // known.
  virtual absl::StatusOr<bool> Decide(symbolic::TraceContext& trace, const ir::Node* condition) = 0;
};

}  // namespace dynacc::tracer
