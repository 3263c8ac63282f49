// The dtype and shape rules of graph nodes, shared by the builder and the verifier.
#pragma once

#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "codegen/ir/graph.h"

namespace dynacc::ir {

using ShapeVector = boost::container::small_vector<ScalarId, 8>;

// Operands that `op` takes: 0 for leaves, -1 for any number (Extern).
int ArityOf(Op op);

// The dtype of `op`'s result; `given` is the dtype asked for, which counts for DTypeRule::kAttr.
DType ResultDType(Op op, DType given, absl::Span<const Node* const> operands);

// Whether `axes` are ascending axes of a tensor of that rank.
bool AreReductionAxes(absl::Span<const int64_t> axes, int rank);

// The shape of a reduction of `shape`; `one` is the scalar 1, the size of kept axes.
ShapeVector ReducedShape(absl::Span<const ScalarId> shape, absl::Span<const int64_t> axes,
                         bool keepdims, ScalarId one);

// Whether running the node may raise a floating-point flag, on which NumPy warns, or an error: such
// a node is never dropped, nor run on fewer elements. On integers these are the library's loops
// (division by zero, a negative power).
bool MayRaise(const Node& node);

}  // namespace dynacc::ir
