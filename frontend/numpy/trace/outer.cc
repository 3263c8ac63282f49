// np.outer of two vectors, as NumPy computes it: the product of a column and a row.
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::StatusOr<symbolic::Value*> TraceOuter(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("out"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * b, args.Tensor("b"));
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  DYNACC_RETURN_IF_ERROR(RequireArray(b));
  // NumPy copies other arrays first, and rounds products of complex numbers as operands lie.
  const bool are_vectors = a->node->rank() == 1 && b->node->rank() == 1;
  if (!are_vectors || IsComplex(a->node->dtype) || IsComplex(b->node->dtype)) {
    return symbolic::GraphBreak("outer of such arrays");
  }
  constexpr int64_t kColumn[] = {0, -1}, kRow[] = {-1, 0};
  symbolic::Value* const values[] = {AxesView(trace, AsNumpy(a), kColumn),
                                     AxesView(trace, AsNumpy(b), kRow)};
  return Elementwise(trace, op, values);
}

}  // namespace dynacc::numpy
