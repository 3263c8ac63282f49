// The rules of NumPy 1.24 by which a LayoutStep's strides follow from its operands'.
//
// ufuncs: try_trivial_single_output_loop in ufunc_object.c, otherwise npyiter_new_temp_array in
// nditer_constr.c; copies: PyArray_NewLikeArray in ctors.c; reductions: PyUFunc_ReduceWrapper in
// reduction.c; reshape: _attempt_nocopy_reshape in shape.c.
#pragma once

#include "absl/types/span.h"
#include "runtime/executor/layout_program.h"
#include "runtime/executor/memory_order.h"

namespace dynacc::executor {

// `result.view` has its dtype and shape; the rule fills in the rest.
struct LayoutContext {
  const LayoutStep& step;
  const RunArguments& arguments;
  absl::Span<const Layout> earlier;

  const Layout& operand(int i) const { return earlier[step.operands[i]]; }
};

void ApplyLayoutRule(const LayoutContext& context, Layout& result);

// Strides for `view` (its shape and dtype) as a copy of `source` in order "K" has them: dense.
void SetKeptStrides(const StridedView& source, StridedView& view);

// The order in which a reduction adds the elements of `source`.
AxisOrder ReductionOrder(const StridedView& source);

}  // namespace dynacc::executor
