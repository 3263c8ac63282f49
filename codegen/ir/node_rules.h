// The dtype and shape rules of graph nodes, shared by the builder and the verifier.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "codegen/ir/graph.h"

namespace dynacc::ir {

using ShapeVector = boost::container::small_vector<ScalarId, 8>;

// Operands that `op` takes: 0 for leaves, -1 for any number (LibraryCall).
int ArityOf(Op op);

// The dtype of `op`'s result; `given` is the dtype asked for, which counts for DTypeRule::kAttr.
DType ResultDType(Op op, DType given, absl::Span<const Node* const> operands);

// Whether `axes` are ascending axes of a tensor of that rank.
bool AreReductionAxes(absl::Span<const int64_t> axes, int rank);

// Whether they are the axes of an ArgMax: one, or all.
bool AreSearchAxes(absl::Span<const int64_t> axes, int rank);

// The shape of a reduction of `shape`; `one` is the scalar 1, the size of kept axes.
ShapeVector ReducedShape(absl::Span<const ScalarId> shape, absl::Span<const int64_t> axes,
                         bool keepdims, ScalarId one);

// A node's dtype and shape.
struct NodeType {
  DType dtype;
  ShapeVector shape;
};

// What InferType cannot know from the operands: the dtype of leaves, casts and library calls, the
// shape of leaves, views, reshapes, library calls, gathers, scatters and compressions. For others
// it must be what follows.
struct GivenType {
  std::optional<DType> dtype = std::nullopt;
  std::optional<absl::Span<const ScalarId>> shape = std::nullopt;
};

// Whether an op's shape does not follow from its operands.
bool HasGivenShape(Op op);

// The type of `op`'s result on these operands, from the op's table row or, of structural ops, its
// own row here; sizes that follow by arithmetic (Concat) are made in `scalars`. INVALID_ARGUMENT,
// in words for whoever writes a graph, if the operands are too many or few, or of dtypes or shapes
// that the op does not take, or if the type does not follow and is not given. Bounds of views and
// the like are the verifier's to check.
absl::StatusOr<NodeType> InferType(Op op, absl::Span<const Node* const> operands,
                                   const NodeAttrs& attrs, const GivenType& given,
                                   ScalarProgram& scalars);

// Whether running the node may raise a floating-point flag, on which NumPy warns, or an error: such
// a node is never dropped, nor run on fewer elements. On integers these are the library's loops
// (division by zero, a negative power). A node that only fails where it is asked for, as a Gather
// without a call, is none of them; one that defines a data-dependent number is.
bool MayRaise(const Node& node);

}  // namespace dynacc::ir
