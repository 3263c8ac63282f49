// np.mean, np.var and np.std, step by step as _mean, _var and _std in numpy/core/_methods.py do
// them (NumPy 1.24), so that every rounding happens where NumPy's does.
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/reductions.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// What sums are made in: the dtype given, else float64 for integers and bools.
absl::StatusOr<DType> SumDType(const Reduction& reduction) {
  const DType own = reduction.array->node->dtype;
  const DType dtype = reduction.dtype.value_or(IsInexact(own) ? own : DType::kFloat64);
  if (!IsInexact(dtype)) return symbolic::GraphBreak("mean in an integer dtype");
  return dtype;
}

const ir::Node* ScalarNode(symbolic::TraceContext& trace, DType dtype, Size count,
                           const Shape& shape) {
  return Broadcast(trace, trace.graph().Scalar(dtype, count.id), Shape(), shape);
}

DType WideOf(DType dtype) { return IsComplex(dtype) ? DType::kComplex128 : DType::kFloat64; }

// What an array of that dtype is divided by a count in, which is an int64 scalar: in NumPy 1.x the
// least dtype that has all numbers of the count's class (scalar_class.h), in NumPy 2 the wide one.
// A float32 shows it where the count is not exact in it: a quotient that is rounded twice is not
// another one otherwise.
DType QuotientDType(symbolic::TraceContext& trace, DType dtype, Size count) {
  const auto is_below = [&](int64_t limit) {
    return IsLess(trace, count, ConstantSize(trace, limit));
  };
  if (dtype == WideOf(dtype)) return dtype;
  if (dtype == DType::kFloat32) return is_below(int64_t{1} << 24) ? dtype : WideOf(dtype);
  if (HasWeakNumbers()) return WideOf(dtype);
  if (is_below(int64_t{1} << 8)) return dtype;
  if (!is_below(int64_t{1} << 16)) return WideOf(dtype);
  return dtype == DType::kFloat16 ? DType::kFloat32 : dtype;
}

// sum / count: for an array true_divide in place, for a NumPy scalar `ret.dtype.type(ret /
// rcount)`, a division of float64 and an integer, then rounded.
NumpyTensor* DivideByCount(symbolic::TraceContext& trace, NumpyTensor* sum, Size count) {
  ir::Graph& graph = trace.graph();
  const DType dtype = sum->node->dtype;
  const DType quotient_dtype = sum->is_scalar ? WideOf(dtype) : QuotientDType(trace, dtype, count);
  const Shape shape = ShapeOf(sum);
  const ir::Node* quotient = graph.Binary(Op::kDivide, graph.Cast(quotient_dtype, sum->node),
                                          ScalarNode(trace, quotient_dtype, count, shape));
  return NewTensor(trace, graph.Update(sum->node, graph.Cast(dtype, quotient)), shape,
                   sum->c_order);
}

// Mean over the axes, kept as axes of size 1.
absl::StatusOr<NumpyTensor*> KeptMean(symbolic::TraceContext& trace, Reduction reduction,
                                      DType dtype, Size count) {
  reduction.keepdims = true;
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * sum, Reduce(trace, Op::kReduceSum, reduction, dtype));
  return DivideByCount(trace, sum, count);
}

// (array - mean) ** 2, squared in place
const ir::Node* SquaredDeviations(symbolic::TraceContext& trace, NumpyTensor* array,
                                  NumpyTensor* mean) {
  ir::Graph& graph = trace.graph();
  const ir::Node* wide = graph.Cast(mean->node->dtype, array->node);
  const ir::Node* deviation = graph.Binary(
      Op::kSubtract, wide, Broadcast(trace, mean->node, ShapeOf(mean), ShapeOf(array)));
  return graph.Update(deviation, graph.Binary(Op::kMultiply, deviation, deviation));
}

absl::StatusOr<NumpyTensor*> Variance(symbolic::TraceContext& trace, const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(Reduction reduction, ReductionFrom(trace, args));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, SumDType(reduction));
  if (IsComplex(dtype)) return symbolic::GraphBreak("variance of complex numbers");
  const Size count = CountOf(trace, reduction);
  Size ddof = ConstantSize(trace, 0);
  if (symbolic::Value* given = args["ddof"]) {
    DYNACC_ASSIGN_OR_RETURN(ddof, SizeFrom(trace, given));
  }
  if (!IsLess(trace, ddof, count)) return symbolic::GraphBreak("variance of too few elements");
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * mean, KeptMean(trace, reduction, dtype, count));
  NumpyTensor* array = reduction.array;
  const ir::Node* squares = SquaredDeviations(trace, array, mean);
  reduction.array = NewTensor(trace, squares, ShapeOf(array), array->c_order);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * sum, Reduce(trace, Op::kReduceSum, reduction, dtype));
  return DivideByCount(trace, sum, Apply(trace, ScalarOp::kSub, count, ddof));
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceMean(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_ASSIGN_OR_RETURN(const Reduction reduction, ReductionFrom(trace, args));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, SumDType(reduction));
  if (reduction.array->node->dtype == DType::kFloat16 && !reduction.dtype) {
    return symbolic::GraphBreak("mean of float16, which NumPy makes in float32");
  }
  const Size count = CountOf(trace, reduction);
  if (IsEqual(trace, count, ConstantSize(trace, 0))) return symbolic::GraphBreak("mean of nothing");
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * sum, Reduce(trace, Op::kReduceSum, reduction, dtype));
  return DivideByCount(trace, sum, count);
}

absl::StatusOr<symbolic::Value*> TraceVariance(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * variance, Variance(trace, args));
  return variance;
}

absl::StatusOr<symbolic::Value*> TraceDeviation(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * variance, Variance(trace, args));
  const ir::Node* root = trace.graph().Unary(Op::kSqrt, variance->node);
  return NewTensor(trace, trace.graph().Update(variance->node, root), ShapeOf(variance),
                   variance->c_order);
}

}  // namespace dynacc::numpy
