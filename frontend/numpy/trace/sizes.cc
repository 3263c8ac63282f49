#include "frontend/numpy/trace/sizes.h"

#include <algorithm>

#include "frontend/numpy/trace/numpy_tensor.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// Python's // for ints, b not 0.
int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient * b == a || (a < 0) == (b < 0) ? quotient : quotient - 1;
}

// Hints wrap around at the ends of 64 bits; the run, which computes with the numbers themselves, is
// given up there.
int64_t Evaluate(ScalarOp op, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  if (op == ScalarOp::kAdd) return static_cast<int64_t>(x + y);
  if (op == ScalarOp::kSub) return static_cast<int64_t>(x - y);
  if (op == ScalarOp::kMul) return static_cast<int64_t>(x * y);
  DYNACC_CHECK(b != 0) << "a size divided by zero";
  if (op == ScalarOp::kFloorDiv) return FloorDivide(a, b);
  DYNACC_CHECK(op == ScalarOp::kMod) << "no op of sizes";
  return a - b * FloorDivide(a, b);
}

bool Decide(symbolic::TraceContext& trace, ScalarOp op, Size a, Size b, bool holds) {
  ScalarProgram& scalars = trace.graph().scalars();
  const ScalarId condition = scalars.Apply(op, a.id, b.id);
  const ScalarExpr& expr = scalars.expr(condition);
  if (expr.op == ScalarOp::kConst)
    return expr.value.i != 0;  // whatever data-dependent sizes' hints say
  trace.RequireTrue(holds ? condition : scalars.Apply(ScalarOp::kNot, condition));
  return holds;
}

bool IsOne(symbolic::TraceContext& trace, ScalarId size) {
  int64_t value = 0;
  return trace.graph().scalars().IsIntConst(size, &value) && value == 1;
}

// A data-dependent size that meets a known one, other than 1, along an axis: the program raises
// unless they are the same (or the data-dependent one is 1). Whether that is so is for the run to
// say.
bool IsDataDependentAndKnown(symbolic::TraceContext& trace, Size data_dependent, Size known) {
  return trace.IsDataDependent(data_dependent.id) && !trace.IsDataDependent(known.id) &&
         known.hint != 1;
}

// Merges one axis of an operand into the result's axis. False if they do not fit.
bool MergeAxis(symbolic::TraceContext& trace, Size axis, Size* result) {
  if (IsOne(trace, axis.id) || axis.id == result->id) return true;
  if (IsOne(trace, result->id)) {
    *result = axis;
    return true;
  }
  if (IsDataDependentAndKnown(trace, axis, *result)) return trace.AssumeEqual(axis.id, result->id);
  if (IsDataDependentAndKnown(trace, *result, axis)) {
    const ScalarId data_dependent = result->id;
    *result = axis;
    return trace.AssumeEqual(data_dependent, axis.id);
  }
  const Size one = ConstantSize(trace, 1);
  if (axis.hint == result->hint) return IsEqual(trace, axis, *result);
  if (axis.hint == 1) return IsEqual(trace, axis, one);
  if (result->hint != 1) return false;
  IsEqual(trace, *result, one);
  *result = axis;
  return true;
}

}  // namespace

Size ConstantSize(symbolic::TraceContext& trace, int64_t value) {
  return {trace.graph().scalars().Int(value), value};
}

Size SizeOf(const symbolic::TensorValue* tensor, int axis) {
  return {tensor->node->shape[axis], tensor->hint_shape[axis]};
}

bool IsKnownInt(symbolic::Value* value) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  if (tensor == nullptr || !tensor->is_scalar || tensor->is_native) return false;
  if (!IsInteger(tensor->node->dtype) || !AsNumpy(tensor)->object) return false;
  return tensor->source() == nullptr || tensor->node->dtype != DType::kUInt64;
}

absl::StatusOr<Size> SizeFrom(symbolic::TraceContext& trace, symbolic::Value* value) {
  const auto* number = symbolic::As<symbolic::NumberValue>(value);
  if (number != nullptr && number->type == ScalarType::kInt) {
    return Size{number->id, number->hint.i};
  }
  if (IsKnownInt(value)) {
    auto* const tensor = AsNumpy(symbolic::As<symbolic::TensorValue>(value));
    const int64_t known = PyNumber_AsSsize_t(tensor->object.get(), nullptr);
    if (tensor->source() == nullptr) return ConstantSize(trace, known);
    return Size{trace.HeldInt(tensor->source()), known};
  }
  DYNACC_ASSIGN_OR_RETURN(const int64_t constant, trace.ConstantInt(value));
  return ConstantSize(trace, constant);
}

symbolic::Value* ToValue(symbolic::TraceContext& trace, Size size) {
  int64_t value = 0;
  if (trace.graph().scalars().IsIntConst(size.id, &value)) {
    return trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLongLong(value)));
  }
  return trace.New<symbolic::NumberValue>(size.id, ScalarType::kInt, ScalarValue{.i = size.hint});
}

Size Apply(symbolic::TraceContext& trace, ScalarOp op, Size a, Size b) {
  Size result = {trace.graph().scalars().Apply(op, a.id, b.id), Evaluate(op, a.hint, b.hint)};
  // Data-dependent sizes have hints that do not add up; together they may be a known size again.
  trace.graph().scalars().IsIntConst(result.id, &result.hint);
  return result;
}

Size Negate(symbolic::TraceContext& trace, Size a) {
  return {trace.graph().scalars().Apply(ScalarOp::kNeg, a.id), Evaluate(ScalarOp::kSub, 0, a.hint)};
}

bool IsLess(symbolic::TraceContext& trace, Size a, Size b) {
  return Decide(trace, ScalarOp::kLt, a, b, a.hint < b.hint);
}

bool IsLessOrEqual(symbolic::TraceContext& trace, Size a, Size b) {
  return Decide(trace, ScalarOp::kLe, a, b, a.hint <= b.hint);
}

bool IsEqual(symbolic::TraceContext& trace, Size a, Size b) {
  return trace.SameSize(a.id, a.hint, b.id, b.hint);
}

Shape ShapeOf(const symbolic::TensorValue* tensor) {
  return {{tensor->node->shape.begin(), tensor->node->shape.end()}, tensor->hint_shape};
}

bool HasAxisOfOne(symbolic::TraceContext& trace, const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (IsEqual(trace, shape.at(axis), ConstantSize(trace, 1))) return true;
  }
  return false;
}

Size ProductOf(symbolic::TraceContext& trace, const Shape& shape, int first, int last) {
  Size product = ConstantSize(trace, 1);
  for (int i = first; i < last; ++i) product = Apply(trace, ScalarOp::kMul, product, shape.at(i));
  return product;
}

absl::StatusOr<Shape> BroadcastShapes(symbolic::TraceContext& trace,
                                      absl::Span<const Shape> shapes) {
  int rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.rank());
  Shape result;
  for (int axis = 0; axis < rank; ++axis) {
    Size size = ConstantSize(trace, 1);
    for (const Shape& shape : shapes) {
      const int own = axis - (rank - shape.rank());
      if (own >= 0 && !MergeAxis(trace, shape.at(own), &size)) {
        return symbolic::RaisingBreak("shapes that do not broadcast");
      }
    }
    result.push_back(size);
  }
  return result;
}

double ElementsOf(const Shape& shape) {
  double count = 1;
  for (const int64_t size : shape.hints) count *= static_cast<double>(size);
  return count;
}

bool IsSameShape(symbolic::TraceContext& trace, const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (!IsEqual(trace, a.at(i), b.at(i))) return false;
  }
  return true;
}

const ir::Node* Broadcast(symbolic::TraceContext& trace, const ir::Node* node, const Shape& from,
                          const Shape& to) {
  if (from.ids == to.ids) return node;
  ScalarProgram& scalars = trace.graph().scalars();
  const ScalarId zero = scalars.Int(0);
  const ScalarId one = scalars.Int(1);
  const int added = to.rank() - from.rank();
  std::vector<int64_t> axes(to.rank(), -1);
  std::vector<ScalarId> starts(from.rank(), zero);
  std::vector<ScalarId> steps(to.rank(), zero);
  for (int d = added; d < to.rank(); ++d) {
    // An axis of size 1 is stretched, also where it was only found to be 1 in this call.
    const ScalarId own = from.ids[d - added];
    if (own != to.ids[d] && from.hints[d - added] != to.hints[d] && !trace.IsDataDependent(own))
      continue;
    if (IsOne(trace, from.ids[d - added]) && !IsOne(trace, to.ids[d])) continue;
    axes[d] = d - added;
    steps[d] = one;
  }
  return trace.graph().View(node, to.ids, axes, starts, steps);
}

}  // namespace dynacc::numpy
