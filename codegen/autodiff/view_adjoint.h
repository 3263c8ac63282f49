// The adjoint of a View: what each element of the operand gets from those that show it.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::autodiff {

// An array of `shape`, in which each element is the sum of those of `cotangent` at whose places a
// View by `map` of an array of `shape` shows that element; 0 where none does.
//
// Broadcast axes are summed. Axes that are windows over one axis of the operand (its element is
// shown at several indices) are added up by skewing: rows of n + step elements, cut into rows of n,
// are each shifted by `step` against the one before. What is left is an injection: a view back if
// it shows everything, else a Store into zeros.
//
// Errors: UNIMPLEMENTED for windows of which a step is no constant.
absl::StatusOr<const ir::Node*> ViewAdjoint(ir::Graph& graph, const ir::Node* cotangent,
                                            const passes::ViewMap& map,
                                            absl::Span<const ScalarId> shape);

// The sum of `a` along `axes`, which are ascending and go; of those of size 1 the one element.
const ir::Node* SumAway(ir::Graph& graph, const ir::Node* a, absl::Span<const int64_t> axes);

// The sum of `a` along the axes in which an array of `shape` was repeated to a's shape by NumPy's
// broadcasting; of that shape.
const ir::Node* SumTo(ir::Graph& graph, const ir::Node* a, absl::Span<const ScalarId> shape);

// a + b, two parts of one cotangent. Of two that are one array's parts in zeros, as the adjoints of
// its slices are, the one is added to where it lies in the other: nobody adds up zeros.
const ir::Node* AddCotangents(ir::Graph& graph, const ir::Node* a, const ir::Node* b);

// Zeros.
const ir::Node* Zeros(ir::Graph& graph, DType dtype, absl::Span<const ScalarId> shape);

}  // namespace dynacc::autodiff
