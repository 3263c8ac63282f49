// np.linalg.norm where it is the root of a sum of squares, as numpy/linalg/linalg.py computes it
// (NumPy 1.24): of a vector by a dot product, along axes by a sum.
#include <algorithm>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/matmul.h"
#include "frontend/numpy/trace/reductions.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/matmul/ordered_matmul.h"

namespace dynacc::numpy {
namespace {

NumpyTensor* Root(symbolic::TraceContext& trace, NumpyTensor* squares) {
  const ir::Node* root = trace.graph().Unary(Op::kSqrt, squares->node);
  return NewTensor(trace, root, ShapeOf(squares), squares->c_order);
}

// NumPy makes a vector contiguous first: in order, the bits do not depend on it.
absl::StatusOr<NumpyTensor*> SquareOfVector(symbolic::TraceContext& trace, symbolic::TensorValue* x,
                                            const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const bool keepdims, args.Flag("keepdims", false));
  if (keepdims || x->node->rank() != 1 || !cpu::ProductsAreInOrder(x->node->dtype)) {
    return symbolic::GraphBreak("norm of all axes");
  }
  return NumpyMatmul(trace, x, x);
}

absl::StatusOr<NumpyTensor*> SquareAlongAxes(symbolic::TraceContext& trace,
                                             symbolic::TensorValue* x, symbolic::Value* axis,
                                             const BoundArgs& args) {
  const ir::Node* squares = trace.graph().Binary(Op::kMultiply, x->node, x->node);
  Reduction reduction;
  reduction.array = NewTensor(trace, squares, ShapeOf(x), AsNumpy(x)->c_order);
  DYNACC_ASSIGN_OR_RETURN(reduction.keepdims, args.Flag("keepdims", false));
  DYNACC_ASSIGN_OR_RETURN(reduction.axes, AxesFrom(trace, axis, x->node->rank()));
  std::sort(reduction.axes.begin(), reduction.axes.end());
  if (reduction.axes.empty() || reduction.axes.size() > 2)
    return symbolic::GraphBreak("norm of such axes");
  return Reduce(trace, Op::kReduceSum, reduction, x->node->dtype);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceNorm(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("ord"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * x, args.Tensor("x"));
  const DType dtype = x->node->dtype;
  if (x->node->rank() == 0 || (dtype != DType::kFloat32 && dtype != DType::kFloat64)) {
    return symbolic::GraphBreak("norm of these elements");
  }
  symbolic::Value* axis = args.GivenOrNull("axis");
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * squares, axis == nullptr
                                                     ? SquareOfVector(trace, x, args)
                                                     : SquareAlongAxes(trace, x, axis, args));
  return Root(trace, squares);
}

}  // namespace dynacc::numpy
