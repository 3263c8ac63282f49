// Which calls of NumPy's are ops of the graph (codegen/ir/graph.h, OPS WITH A CALL).
#pragma once

#include "codegen/ir/graph.h"
#include "frontend/numpy/trace/numpy_library_caller.h"

namespace dynacc::numpy {

// The node that makes the call, registered as `id`, of `operands`: of the op that the call is, or a
// LibraryCall. `defined`: the number that the call defines, or kNoScalar. The ops and their calls:
//   Cumsum, Cumprod  np.cumsum, np.cumprod, the arrays' methods of those names, np.add.accumulate
//             and np.multiply.accumulate, of one array and an axis that is known
//   ArgMax, ArgMin  np.argmax, np.argmin and the arrays' methods, of one array and a known axis
//   Mean      np.mean and the arrays' method, of one array and known axes, with no dtype asked for
//   Gather    `a[at]`, `a[i, j]`, `a[:, i]`, `a[..., i, 0]`, np.take and the arrays' method,
//             np.take_along_axis
//   Compress  `a[mask]`
//   Scatter   the writes to such places that StoreThroughIndices and UpdateThroughIndices call
//             (scatter.h)
//   IntOperator  functions of the module `operator`, of single numbers; known ones are ints
const ir::Node* MakeCallNode(ir::Graph& graph, const LibraryCall& call, int64_t id, DType dtype,
                             absl::Span<const ScalarId> shape,
                             absl::Span<const ir::Node* const> operands, ScalarId defined);

}  // namespace dynacc::numpy
