#include "frontend/numpy/trace/reductions.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/bit_exactness.h"
#include "frontend/numpy/trace/conversion.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::numpy {
namespace {

bool IsSumOrProduct(Op op) { return op == Op::kReduceSum || op == Op::kReduceProd; }
bool IsExtremum(Op op) { return op == Op::kReduceMax || op == Op::kReduceMin; }

// What np.add.reduce and np.multiply.reduce compute in if no dtype is given: small integers and
// bools in the platform's integer of their sign.
DType WidenedForSum(DType dtype) {
  if (IsInexact(dtype)) return dtype;
  return Info(dtype).kind == DTypeKind::kUnsigned ? DType::kUInt64 : DType::kInt64;
}

// Whether a sum or product of `from` in `to` has the same bits in any order. NumPy casts through
// buffers, in chunks of its own; integers wrap alike in any order, and sums of small integers are
// exact in a double (2^16 values of 2^37 elements).
bool AnyOrderIsExact(Op op, DType from, DType to) {
  if (from == to || !IsInexact(to)) return true;
  return op == Op::kReduceSum && to == DType::kFloat64 && !IsInexact(from) && ItemSize(from) <= 2;
}

absl::StatusOr<DType> LoopDType(Op op, const Reduction& reduction) {
  const DType own = reduction.array->node->dtype;
  if (!IsSumOrProduct(op)) {
    const DType loop = IsExtremum(op) ? own : DType::kBool;
    const bool fits = reduction.dtype.value_or(loop) == loop;
    return fits ? loop
                : absl::StatusOr<DType>(
                      symbolic::GraphBreak("an extremum or truths in another dtype"));
  }
  return reduction.dtype.value_or(WidenedForSum(own));
}

Shape ReducedShape(symbolic::TraceContext& trace, const Reduction& reduction) {
  Shape shape;
  for (int axis = 0; axis < reduction.array->node->rank(); ++axis) {
    const bool reduced = std::binary_search(reduction.axes.begin(), reduction.axes.end(), axis);
    if (!reduced) shape.push_back(SizeOf(reduction.array, axis));
    if (reduced && reduction.keepdims) shape.push_back(ConstantSize(trace, 1));
  }
  return shape;
}

// Extrema of nothing are an error; required at every call.
absl::Status RequireElements(symbolic::TraceContext& trace, const Reduction& reduction) {
  for (int64_t axis : reduction.axes) {
    const Size size = SizeOf(reduction.array, static_cast<int>(axis));
    if (IsEqual(trace, size, ConstantSize(trace, 0)))
      return symbolic::RaisingBreak("extremum of nothing");
  }
  return absl::OkStatus();
}

// NumPy gives what it gives of an array with that one element, but for bools, of which there are
// only two.
absl::StatusOr<Reduction> ReductionOfScalar(symbolic::TraceContext& trace, const BoundArgs& args,
                                            NumpyTensor* scalar) {
  DYNACC_ASSIGN_OR_RETURN(const bool keepdims, args.Flag("keepdims", false));
  DYNACC_ASSIGN_OR_RETURN(const bool where, args.Flag("where", true));
  constexpr const char* kOthers[] = {"out", "initial", "axis", "dtype"};
  const bool is_plain = !keepdims && where && absl::c_none_of(kOthers, [&](const char* name) {
    return args.GivenOrNull(name) != nullptr;
  });
  if (!is_plain || scalar->node->dtype == DType::kBool) {
    return symbolic::GraphBreak("reduction of a scalar");
  }
  Reduction reduction;
  reduction.array = ArrayOfScalar(trace, scalar, 1);
  reduction.axes = {0};
  return reduction;
}

}  // namespace

absl::StatusOr<Reduction> ReductionFrom(symbolic::TraceContext& trace, const BoundArgs& args) {
  Reduction reduction;
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, args.Tensor("a"));
  reduction.array = AsNumpy(array);
  const int rank = array->node->rank();
  if (rank == 0) return ReductionOfScalar(trace, args, reduction.array);
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("out"));
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("initial"));
  DYNACC_ASSIGN_OR_RETURN(const bool where, args.Flag("where", true));
  if (!where) return symbolic::GraphBreak("argument where");
  DYNACC_ASSIGN_OR_RETURN(reduction.keepdims, args.Flag("keepdims", false));
  if (symbolic::Value* dtype = args.GivenOrNull("dtype")) {
    DYNACC_ASSIGN_OR_RETURN(const DType given, DTypeFrom(trace, dtype));
    reduction.dtype = given;
  }
  if (symbolic::Value* axis = args.GivenOrNull("axis")) {
    DYNACC_ASSIGN_OR_RETURN(reduction.axes, AxesFrom(trace, axis, rank));
    std::sort(reduction.axes.begin(), reduction.axes.end());
  } else {
    reduction.axes.resize(rank);
    std::iota(reduction.axes.begin(), reduction.axes.end(), 0);
  }
  if (reduction.axes.empty()) return symbolic::GraphBreak("reduction over no axis");
  return reduction;
}

absl::StatusOr<NumpyTensor*> Reduce(symbolic::TraceContext& trace, Op op,
                                    const Reduction& reduction, DType dtype) {
  NumpyTensor* array = reduction.array;
  DYNACC_RETURN_IF_ERROR(RequireCast(array->node->dtype, dtype));
  if (IsSumOrProduct(op) && !AnyOrderIsExact(op, array->node->dtype, dtype)) {
    return symbolic::GraphBreak("sum in another dtype, whose order depends on NumPy's buffers");
  }
  if (!kernel::FindLibraryLoop(static_cast<int>(op), dtype)) {
    return symbolic::GraphBreak("reduction in a dtype without a loop");
  }
  if (IsInexact(dtype) && !ReductionsAreKnown()) {
    return symbolic::GraphBreak("a reduction in an order that only this NumPy knows");
  }
  if (IsExtremum(op)) DYNACC_RETURN_IF_ERROR(RequireElements(trace, reduction));
  const ir::Node* node = trace.graph().Reduce(op, trace.graph().Cast(dtype, array->node),
                                              reduction.axes, reduction.keepdims);
  return NewTensor(trace, node, ReducedShape(trace, reduction), array->c_order);
}

Size CountOf(symbolic::TraceContext& trace, const Reduction& reduction) {
  Size count = ConstantSize(trace, 1);
  for (int64_t axis : reduction.axes) {
    count = Apply(trace, ScalarOp::kMul, count, SizeOf(reduction.array, static_cast<int>(axis)));
  }
  return count;
}

absl::StatusOr<symbolic::Value*> TraceReduction(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op op) {
  DYNACC_ASSIGN_OR_RETURN(const Reduction reduction, ReductionFrom(trace, args));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, LoopDType(op, reduction));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Reduce(trace, op, reduction, dtype));
  return result;
}

}  // namespace dynacc::numpy
