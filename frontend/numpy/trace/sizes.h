// Sizes: ints that are expressions of the graph's scalar program, with their value in this call.
//
// Decisions on them (is this index negative? does this slice end before the axis?) are taken as in
// this call, and required at every other call of the entry.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc {

struct Size {
  ScalarId id;
  int64_t hint;
};

Size ConstantSize(TraceContext& trace, int64_t value);
// The size of axis `axis` of `tensor`.
Size SizeOf(const TensorValue* tensor, int axis);
// Whether it is a NumPy int that was there before the run: known at capture, or one of the entry's
// inputs (not uint64, which has values that are no sizes).
bool IsKnownInt(Value* value);
// A Python int or bool, constant or dynamic, or a known NumPy int. GraphBreak for anything else.
absl::StatusOr<Size> SizeFrom(TraceContext& trace, Value* value);
// The Python int of that value: a ConstantValue if it is one.
Value* ToValue(TraceContext& trace, Size size);

// op(a, b), with op one of kAdd, kSub, kMul, kFloorDiv (b not 0) or kMod (b not 0); and -a.
Size Apply(TraceContext& trace, ScalarOp op, Size a, Size b);
Size Negate(TraceContext& trace, Size a);

// Whether a < b, a <= b, a == b in this call; from then on required to stay so.
bool IsLess(TraceContext& trace, Size a, Size b);
bool IsLessOrEqual(TraceContext& trace, Size a, Size b);
bool IsEqual(TraceContext& trace, Size a, Size b);

// The shape of one array.
struct Shape {
  std::vector<ScalarId> ids;
  std::vector<int64_t> hints;

  int rank() const { return static_cast<int>(ids.size()); }
  Size at(int axis) const { return {ids[axis], hints[axis]}; }
  void push_back(Size size) {
    ids.push_back(size.id);
    hints.push_back(size.hint);
  }
};

Shape ShapeOf(const TensorValue* tensor);
// Whether an axis has one element in this call; from then on required to stay so.
bool HasAxisOfOne(TraceContext& trace, const Shape& shape);
// The number of elements of the axes [first, last).
Size ProductOf(TraceContext& trace, const Shape& shape, int first, int last);
// The number of elements in this call. Not an integer: arrays that are broadcast may have more than
// 2^63.
double ElementsOf(const Shape& shape);

// The shape that NumPy's broadcasting gives. GraphBreak if the shapes do not fit (NumPy raises).
absl::StatusOr<Shape> BroadcastShapes(TraceContext& trace, absl::Span<const Shape> shapes);
// Whether the shapes are the same, required from then on.
bool IsSameShape(TraceContext& trace, const Shape& a, const Shape& b);

// `node` (of shape `from`, which broadcasts to `to`) with the shape `to`.
const Node* Broadcast(TraceContext& trace, const Node* node, const Shape& from, const Shape& to);

}  // namespace dynacc
