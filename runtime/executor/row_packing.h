// Row packing: how kernels run along arrays with short rows, as those of points ([n, 3]) are.
//
// A call of a kernel costs more than a row of three elements. Where results lie evenly from row to
// row, a kernel can run along many rows at once if its inputs lie evenly, too. An input that does
// not, because it is broadcast or a part of wider rows, is packed: its elements are copied, a block
// at a time, to where they lie side by side in the order of the results.
#pragma once

#include "absl/types/span.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::executor {

// Whether the rows of `nest` are short, and all operands from `num_inputs` on lie evenly along all
// of its axes.
bool CanPackRows(const LoopNest& nest, int num_inputs);

// Calls run(pointers, strides, n) for runs that cover such a nest once, in its order. `inputs`: the
// dtypes of the nest's first operands, which are read only. Needs no memory but the stack.
void ForEachPackedRun(const LoopNest& nest, absl::Span<const DType> inputs, RunFn run);

}  // namespace dynacc::executor
