// Sizes: ints that are expressions of the graph's scalar program, with their value in this call.
//
// Decisions on them (is this index negative? does this slice end before the axis?) are taken as in
// this call, and required at every other call of the entry.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc::numpy {

struct Size {
  ScalarId id;
  int64_t hint;
};

Size ConstantSize(symbolic::TraceContext& trace, int64_t value);
// The size of axis `axis` of `tensor`.
Size SizeOf(const symbolic::TensorValue* tensor, int axis);
// Whether it is a NumPy int that was there before the run: known at capture, or one of the entry's
// inputs (not uint64, which has values that are no sizes).
bool IsKnownInt(symbolic::Value* value);
// A Python int or bool, constant or dynamic, or a known NumPy int. GraphBreak for anything else.
absl::StatusOr<Size> SizeFrom(symbolic::TraceContext& trace, symbolic::Value* value);
// The Python int of that value: a ConstantValue if it is one.
symbolic::Value* ToValue(symbolic::TraceContext& trace, Size size);

// op(a, b), with op one of kAdd, kSub, kMul, kFloorDiv (b not 0) or kMod (b not 0); and -a.
Size Apply(symbolic::TraceContext& trace, ScalarOp op, Size a, Size b);
Size Negate(symbolic::TraceContext& trace, Size a);

// Whether a < b, a <= b, a == b in this call; from then on required to stay so.
bool IsLess(symbolic::TraceContext& trace, Size a, Size b);
bool IsLessOrEqual(symbolic::TraceContext& trace, Size a, Size b);
bool IsEqual(symbolic::TraceContext& trace, Size a, Size b);

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

Shape ShapeOf(const symbolic::TensorValue* tensor);
// Whether an axis has one element in this call; from then on required to stay so.
bool HasAxisOfOne(symbolic::TraceContext& trace, const Shape& shape);
// The number of elements of the axes [first, last).
Size ProductOf(symbolic::TraceContext& trace, const Shape& shape, int first, int last);
// The number of elements in this call. Not an integer: arrays that are broadcast may have more than
// 2^63.
double ElementsOf(const Shape& shape);

// The shape that NumPy's broadcasting gives. GraphBreak if the shapes do not fit (NumPy raises).
absl::StatusOr<Shape> BroadcastShapes(symbolic::TraceContext& trace,
                                      absl::Span<const Shape> shapes);
// Whether the shapes are the same, required from then on.
bool IsSameShape(symbolic::TraceContext& trace, const Shape& a, const Shape& b);

// `node` (of shape `from`, which broadcasts to `to`) with the shape `to`.
const ir::Node* Broadcast(symbolic::TraceContext& trace, const ir::Node* node, const Shape& from,
                          const Shape& to);

}  // namespace dynacc::numpy
