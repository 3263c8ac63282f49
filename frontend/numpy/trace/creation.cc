// Arrays of one number: np.zeros, np.ones, np.full and their _like forms.
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/conversion.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/error_state.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/operand.h"
#include "frontend/numpy/trace/weak_numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

NumpyTensor* Filled(symbolic::TraceContext& trace, DType dtype, ir::Number number,
                    const Shape& shape) {
  return NewTensor(trace, trace.graph().Full(dtype, number, shape.ids), shape,
                   COrder(std::in_place), /*scalar_if_rank_0=*/false);
}

absl::StatusOr<DType> DTypeOr(symbolic::TraceContext& trace, const BoundArgs& args,
                              DType otherwise) {
  symbolic::Value* given = args.GivenOrNull("dtype");
  return given == nullptr ? absl::StatusOr<DType>(otherwise) : DTypeFrom(trace, given);
}

// The shape argument of a function that makes a C-ordered array.
absl::StatusOr<Shape> FreshShape(symbolic::TraceContext& trace, const BoundArgs& args) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "C"));
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("like"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * given, args.Required("shape"));
  DYNACC_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(trace, given));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (IsLess(trace, shape.at(axis), ConstantSize(trace, 0))) {
      return symbolic::GraphBreak("a negative size");
    }
  }
  return shape;
}

// The array that a _like function imitates.
absl::StatusOr<NumpyTensor*> Prototype(const BoundArgs& args) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "K"));
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("shape"));
  DYNACC_RETURN_IF_ERROR(args.Flag("subok", true).status());
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * tensor,
                          args.Tensor(args["a"] != nullptr ? "a" : "prototype"));
  return AsNumpy(tensor);
}

// An array of one number in the order of another, as ndarray.astype would copy that: only where
// orders are nobody's concern but for sums.
absl::StatusOr<symbolic::Value*> FilledLike(symbolic::TraceContext& trace, NumpyTensor* like,
                                            DType dtype, ir::Number number) {
  NumpyTensor* const filled = Filled(trace, dtype, number, ShapeOf(like));
  if (like->node->rank() <= 1 || RequireCOrder(trace, like)) return filled;
  // NumPy's own functions would read an Update of one number in C order.
  if (dtype != like->node->dtype || !trace.has_free_orders()) {
    return symbolic::GraphBreak(
        "a fresh array in the order of one that is not known to be contiguous");
  }
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* copy, CopyInKeptOrder(trace, like->node, ShapeOf(like)));
  return NewTensor(trace, trace.graph().Update(copy, filled->node), ShapeOf(like), like->c_order,
                   /*scalar_if_rank_0=*/false);
}

absl::StatusOr<symbolic::Value*> FilledLike(symbolic::TraceContext& trace, const BoundArgs& args,
                                            int64_t number) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * like, Prototype(args));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeOr(trace, args, like->node->dtype));
  return FilledLike(trace, like, dtype, trace.graph().scalars().Int(number));
}

absl::StatusOr<symbolic::Value*> FilledWith(symbolic::TraceContext& trace, const BoundArgs& args,
                                            int64_t number) {
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, FreshShape(trace, args));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeOr(trace, args, DType::kFloat64));
  return Filled(trace, dtype, trace.graph().scalars().Int(number), shape);
}

// The number that fills an array of `dtype`. Breaks where the assignment could fail or warn (an int
// that does not fit, a float that underflows), or the number is computed by the graph.
absl::StatusOr<ir::Number> FillNumber(symbolic::TraceContext& trace, const Operand& fill,
                                      DType dtype) {
  if (fill.tensor != nullptr) return symbolic::GraphBreak("an array filled with a computed number");
  const bool is_wide = RealOf(dtype) == DType::kFloat64;
  const bool is_safe = dtype == fill.dtype || (IsInteger(dtype) && fill.dtype == DType::kBool) ||
                       (IsInexact(dtype) && (is_wide || fill.dtype != DType::kInt64) &&
                        (IsComplex(dtype) || !IsComplex(fill.dtype)));
  if (!is_safe) return symbolic::GraphBreak("an array filled with a number of another kind");
  DYNACC_RETURN_IF_ERROR(RequireElement(trace, fill, dtype));
  DYNACC_RETURN_IF_ERROR(RequireQuietConversion(trace, fill, dtype));
  return fill.scalar;
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceZeros(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  return FilledWith(trace, args, 0);
}

absl::StatusOr<symbolic::Value*> TraceOnes(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  return FilledWith(trace, args, 1);
}

absl::StatusOr<symbolic::Value*> TraceFull(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, FreshShape(trace, args));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("fill_value"));
  DYNACC_ASSIGN_OR_RETURN(const Operand fill, MakeOperand(trace, value));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeOr(trace, args, fill.dtype));
  DYNACC_ASSIGN_OR_RETURN(const ir::Number number, FillNumber(trace, fill, dtype));
  return Filled(trace, dtype, number, shape);
}

absl::StatusOr<symbolic::Value*> TraceZerosLike(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op) {
  return FilledLike(trace, args, 0);
}

absl::StatusOr<symbolic::Value*> TraceOnesLike(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  return FilledLike(trace, args, 1);
}

absl::StatusOr<symbolic::Value*> TraceFullLike(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * like, Prototype(args));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("fill_value"));
  DYNACC_ASSIGN_OR_RETURN(const Operand fill, MakeOperand(trace, value));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeOr(trace, args, like->node->dtype));
  DYNACC_ASSIGN_OR_RETURN(const ir::Number number, FillNumber(trace, fill, dtype));
  return FilledLike(trace, like, dtype, number);
}

}  // namespace dynacc::numpy
