#include "frontend/numpy/trace/stores.h"

#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/crossing.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/masked.h"
#include "frontend/numpy/trace/operand.h"
#include "frontend/numpy/trace/scatter.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/subscript.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::Status RequireArrayCast(DType from, DType to) {
  if (from == to || from == DType::kBool) return absl::OkStatus();
  const bool same_kind = Info(from).kind == Info(to).kind;
  const bool to_float = IsInteger(from) && IsFloat(to);
  const bool ints = IsInteger(from) && (IsInteger(to) || to == DType::kBool);
  const bool to_complex = (IsInteger(from) || IsFloat(from)) && IsComplex(to);
  if (same_kind || to_float || ints || to_complex) return absl::OkStatus();
  return symbolic::GraphBreak("an assignment of a number of another kind");
}

namespace {

// What is assigned, in the dtype of the array.
struct Assigned {
  const ir::Node* node;
  Shape shape;
  COrder order;
};

absl::Status OtherKind() {
  return symbolic::GraphBreak("an assignment of a number of another kind");
}

// The largest int that a float64 holds with all ints below it.
constexpr int64_t kMaxExactInt = int64_t{1} << 53;

bool FitsInteger(int64_t value, DType dtype) {
  const int bits = 8 * ItemSize(dtype);
  if (Info(dtype).kind == DTypeKind::kUnsigned) {
    return value >= 0 && (bits == 64 || value < (int64_t{1} << bits));
  }
  const int64_t max = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
  return value >= -max - 1 && value <= max;
}

// Whether a known Python number goes into an array of `dtype` without an error, a warning, or a
// conversion by other rules than a cast's.
bool FitsConstant(const ScalarExpr& number, DType dtype) {
  if (number.type == ScalarType::kBool) return true;
  if (number.type == ScalarType::kInt) {
    if (IsInteger(dtype)) return FitsInteger(number.value.i, dtype);
    return IsFloat(dtype) && std::abs(number.value.i) <= kMaxExactInt;
  }
  if (dtype == DType::kFloat64) return true;
  return dtype == DType::kFloat32 &&
         (!std::isfinite(number.value.f) || std::isfinite(static_cast<float>(number.value.f)));
}

// The same for one that varies.
bool FitsAlways(ScalarType type, DType dtype) {
  if (type == ScalarType::kBool) return true;
  return dtype == DType::kFloat64 || (type == ScalarType::kInt && dtype == DType::kInt64);
}

absl::Status RequireFits(symbolic::TraceContext& trace, const Operand& number, DType dtype) {
  if (number.scalar.is_complex()) {
    return dtype == DType::kComplex128 ? absl::OkStatus() : OtherKind();
  }
  dtype = RealOf(dtype);
  if (IsLowPrecision(dtype)) return absl::OkStatus();  // not NumPy's
  if (dtype == DType::kFloat16) return OtherKind();    // they warn by rules of their own
  const ScalarExpr& expr = trace.graph().scalars().expr(number.scalar.real);
  const bool fits =
      expr.op == ScalarOp::kConst ? FitsConstant(expr, dtype) : FitsAlways(expr.type, dtype);
  return fits ? absl::OkStatus() : OtherKind();
}

// Of single items only what no rule of their own could concern.
absl::Status RequireCastable(const Operand& value, DType dtype) {
  if (value.is_array()) return RequireArrayCast(value.dtype, dtype);
  const DType from = value.dtype;
  if (from == dtype || from == DType::kBool) return absl::OkStatus();
  const bool same_kind = Info(from).kind == Info(dtype).kind;
  const bool widens = same_kind && (IsFloat(from) || ItemSize(from) <= ItemSize(dtype));
  const bool to_complex =
      IsFloat(from) && IsComplex(dtype) && 2 * ItemSize(from) <= ItemSize(dtype);
  const bool from_int = IsInteger(from) && RealOf(dtype) == DType::kFloat64;
  return widens || to_complex || from_int ? absl::OkStatus() : OtherKind();
}

absl::Status RequireAssignable(symbolic::TraceContext& trace, const Operand& operand, DType dtype) {
  return operand.tensor == nullptr ? RequireFits(trace, operand, dtype)
                                   : RequireCastable(operand, dtype);
}

absl::StatusOr<Assigned> AssignedFrom(symbolic::TraceContext& trace, symbolic::Value* value,
                                      DType dtype) {
  DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
  DYNACC_RETURN_IF_ERROR(RequireAssignable(trace, operand, dtype));
  if (operand.tensor == nullptr) {
    return Assigned{trace.graph().Scalar(dtype, operand.scalar), {}, std::nullopt};
  }
  return Assigned{NodeOf(trace, operand, dtype), operand.shape,
                  operand.is_array() ? operand.tensor->c_order : std::nullopt};
}

// Without the leading axes of size 1 that the target does not have.
absl::Status DropLeadingAxes(symbolic::TraceContext& trace, int rank, Assigned* assigned) {
  const int extra = assigned->shape.rank() - rank;
  if (extra <= 0) return absl::OkStatus();
  Shape shape;
  std::vector<int64_t> axes;
  for (int axis = 0; axis < assigned->shape.rank(); ++axis) {
    if (axis >= extra) {
      shape.push_back(assigned->shape.at(axis));
      axes.push_back(axis);
    } else if (!IsEqual(trace, assigned->shape.at(axis), ConstantSize(trace, 1))) {
      return symbolic::RaisingBreak("an assignment of an array of a higher rank");
    }
  }
  ScalarProgram& scalars = trace.graph().scalars();
  const std::vector<ScalarId> starts(assigned->shape.rank(), scalars.Int(0));
  const std::vector<ScalarId> steps(shape.rank(), scalars.Int(1));
  *assigned = {trace.graph().View(assigned->node, shape.ids, axes, starts, steps), shape,
               std::nullopt};
  return absl::OkStatus();
}

// `value` as content of an array of `shape`.
absl::StatusOr<Assigned> ContentFrom(symbolic::TraceContext& trace, symbolic::Value* value,
                                     DType dtype, const Shape& shape) {
  DYNACC_ASSIGN_OR_RETURN(Assigned assigned, AssignedFrom(trace, value, dtype));
  DYNACC_RETURN_IF_ERROR(DropLeadingAxes(trace, shape.rank(), &assigned));
  DYNACC_ASSIGN_OR_RETURN(const Shape both, BroadcastShapes(trace, {shape, assigned.shape}));
  if (!IsSameShape(trace, both, shape)) {
    return symbolic::RaisingBreak("an assignment of an array of another shape");
  }
  const ir::Node* const node = Broadcast(trace, assigned.node, assigned.shape, shape);
  return Assigned{node, shape, node == assigned.node ? assigned.order : std::nullopt};
}

}  // namespace

absl::Status RequireAssignable(symbolic::TraceContext& trace, symbolic::Value* value, DType dtype) {
  DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
  return RequireAssignable(trace, operand, dtype);
}

absl::StatusOr<const ir::Node*> NumberAs(symbolic::TraceContext& trace, symbolic::Value* value,
                                         DType dtype) {
  DYNACC_ASSIGN_OR_RETURN(const Assigned number, AssignedFrom(trace, value, dtype));
  if (number.shape.rank() > 0) return symbolic::GraphBreak("an array for a number");
  return number.node;
}

absl::Status Assign(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* value) {
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  DYNACC_RETURN_IF_ERROR(RequireAnyOrder(trace, a, a->node, value));
  const DType dtype = a->node->dtype;
  DYNACC_ASSIGN_OR_RETURN(const Assigned content, ContentFrom(trace, value, dtype, ShapeOf(a)));
  return Write(trace, a, content.node, content.order);
}

namespace {

// Writes the value into the part of the array.
absl::Status StoreInto(symbolic::TraceContext& trace, NumpyTensor* a, const SubscriptedPart& part,
                       symbolic::Value* value) {
  // `a[key] += b` ends with the store of a view that was written in place: nothing is left to do.
  auto* const view = symbolic::As<symbolic::TensorValue>(value);
  if (view != nullptr && view->node == part.node && view->root() == a->root()) {
    return absl::OkStatus();
  }
  DYNACC_RETURN_IF_ERROR(RequireAnyOrder(trace, a, part.node, value));
  DYNACC_ASSIGN_OR_RETURN(const Assigned content,
                          ContentFrom(trace, value, a->node->dtype, part.shape));
  return WritePart(trace, a, part.node, content.node, content.order);
}

absl::Status StorePart(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* key,
                       symbolic::Value* value) {
  if (HasMask(trace, key)) return StoreMasked(trace, a, key, value);
  DYNACC_ASSIGN_OR_RETURN(const SubscriptedPart part, PartAt(trace, a, key));
  return StoreInto(trace, a, part, value);
}

absl::Status StoreAtPlaces(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* key,
                           symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(const SubscriptedPart part, PartAtPlaces(trace, a, key));
  return StoreInto(trace, a, part, value);
}

}  // namespace

absl::Status NumpyStoreSubscript(symbolic::TraceContext& trace, NumpyTensor* a,
                                 symbolic::Value* key, symbolic::Value* value) {
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  const absl::Status stored = StorePart(trace, a, key, value);
  const auto is_final = [](const absl::Status& status) {
    return !absl::IsUnimplemented(status) || symbolic::IsRaisingBreak(status);
  };
  if (is_final(stored)) return stored;
  const absl::Status by_numpy = StoreThroughIndices(trace, a, key, value);
  if (is_final(by_numpy)) return by_numpy;
  const absl::Status placed = StoreAtPlaces(trace, a, key, value);
  return is_final(placed) ? placed : stored;
}

absl::StatusOr<symbolic::Value*> TraceFill(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("value"));
  DYNACC_ASSIGN_OR_RETURN(const Operand number, MakeOperand(trace, value));
  if (number.tensor != nullptr && (number.is_array() || number.dtype != a->node->dtype)) {
    return symbolic::GraphBreak("fill with an array or a scalar of another dtype");
  }
  DYNACC_RETURN_IF_ERROR(Assign(trace, AsNumpy(a), value));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

// np.fill_diagonal: every `columns + 1`-th element of a matrix, not below its first square.
absl::StatusOr<symbolic::Value*> TraceFillDiagonal(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("val"));
  DYNACC_ASSIGN_OR_RETURN(const bool wrap, args.Flag("wrap", false));
  if (wrap || a->is_scalar || a->node->rank() != 2)
    return symbolic::GraphBreak("a diagonal that wraps");
  NumpyTensor* const matrix = AsNumpy(a);
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, matrix));
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* number, NumberAs(trace, value, a->node->dtype));
  const Shape shape = ShapeOf(a);
  const Size rows = shape.at(0);
  const Size columns = shape.at(1);
  const Size zero = ConstantSize(trace, 0);
  const Size one = ConstantSize(trace, 1);
  Shape length, whole;
  length.push_back(IsLess(trace, rows, columns) ? rows : columns);
  if (!IsLess(trace, zero, length.at(0))) return symbolic::GraphBreak("a view of no elements");
  whole.push_back(ProductOf(trace, shape, 0, 2));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * flat, ReshapedView(trace, matrix, whole));
  const Size step = Apply(trace, ScalarOp::kAdd, columns, one);
  ir::Graph& graph = trace.graph();
  const int64_t axis[] = {0};
  const ir::Node* part = graph.View(flat->node, length.ids, axis, {&zero.id, 1}, {&step.id, 1});
  DYNACC_RETURN_IF_ERROR(
      WritePart(trace, flat, part, graph.BroadcastTo(number, length.ids), std::nullopt));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

absl::StatusOr<symbolic::Value*> TraceCopyTo(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("casting", "same_kind"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * target, args.Tensor("dst"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * source, args.Required("src"));
  DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, source));
  if (operand.dtype != target->node->dtype)
    return symbolic::GraphBreak("copyto with another dtype");
  auto* const where = symbolic::As<symbolic::TensorValue>(args["where"]);
  if (where != nullptr && !HasMask(trace, where)) return symbolic::GraphBreak("argument where");
  if (where == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const bool all, args.Flag("where", true));
    if (!all) return symbolic::GraphBreak("argument where");
    DYNACC_RETURN_IF_ERROR(Assign(trace, AsNumpy(target), source));
  } else {
    const bool same_rank = where->node->rank() == target->node->rank();
    if (!same_rank || operand.is_array()) return symbolic::GraphBreak("argument where");
    DYNACC_RETURN_IF_ERROR(RequireWritable(trace, AsNumpy(target)));
    DYNACC_RETURN_IF_ERROR(StoreMasked(trace, AsNumpy(target), where, source));
  }
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

}  // namespace dynacc::numpy
