// Attributes of arrays, and the functions that read them.
#include <algorithm>
#include <numeric>

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

symbolic::Value* PythonInt(symbolic::TraceContext& trace, int64_t value) {
  return ToValue(trace, ConstantSize(trace, value));
}

Size ElementsOf(symbolic::TraceContext& trace, const NumpyTensor* self) {
  const Shape shape = ShapeOf(self);
  return ProductOf(trace, shape, 0, shape.rank());
}

// The parts of a complex array are views of its memory, with gaps.
symbolic::Value* PartOf(symbolic::TraceContext& trace, NumpyTensor* self, Op part) {
  const ir::Node* node = trace.graph().Unary(part, self->node);
  if (self->is_scalar) return NewTensor(trace, node, Shape(), COrder(std::in_place));
  return NewViewTensor(trace, self, node, ShapeOf(self), std::nullopt);
}

}  // namespace

absl::StatusOr<symbolic::Value*> GetShape(symbolic::TraceContext& trace, NumpyTensor* self) {
  std::vector<symbolic::Value*> sizes;
  for (int axis = 0; axis < self->node->rank(); ++axis) {
    sizes.push_back(ToValue(trace, SizeOf(self, axis)));
  }
  return trace.New<symbolic::TupleValue>(std::move(sizes));
}

absl::StatusOr<symbolic::Value*> GetNdim(symbolic::TraceContext& trace, NumpyTensor* self) {
  return PythonInt(trace, self->node->rank());
}

absl::StatusOr<symbolic::Value*> GetSize(symbolic::TraceContext& trace, NumpyTensor* self) {
  return ToValue(trace, ElementsOf(trace, self));
}

absl::StatusOr<symbolic::Value*> GetDtype(symbolic::TraceContext& trace, NumpyTensor* self) {
  return trace.New<symbolic::ConstantValue>(
      Ref::New(reinterpret_cast<PyObject*>(Descr(self->node->dtype))));
}

absl::StatusOr<symbolic::Value*> GetItemsize(symbolic::TraceContext& trace, NumpyTensor* self) {
  return PythonInt(trace, ItemSize(self->node->dtype));
}

absl::StatusOr<symbolic::Value*> GetNbytes(symbolic::TraceContext& trace, NumpyTensor* self) {
  const Size item_size = ConstantSize(trace, ItemSize(self->node->dtype));
  return ToValue(trace, Apply(trace, ScalarOp::kMul, ElementsOf(trace, self), item_size));
}

absl::StatusOr<symbolic::Value*> GetTransposed(symbolic::TraceContext& trace, NumpyTensor* self) {
  if (self->is_scalar) return self;  // a NumPy scalar is its own transpose
  std::vector<int64_t> permutation(self->node->rank());
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  return TransposedView(trace, self, permutation);
}

absl::StatusOr<symbolic::Value*> GetMatrixTransposed(symbolic::TraceContext& trace,
                                                     NumpyTensor* self) {
  const int rank = self->node->rank();
  if (rank < 2) return symbolic::RaisingBreak("a matrix transpose of less than two axes");
  std::vector<int64_t> permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  return TransposedView(trace, self, permutation);
}

absl::StatusOr<symbolic::Value*> GetDevice(symbolic::TraceContext& trace, NumpyTensor*) {
  return trace.New<symbolic::ConstantValue>(Ref::Steal(PyUnicode_InternFromString("cpu")));
}

// A real array is its own real part; a NumPy scalar gives another scalar object.
absl::StatusOr<symbolic::Value*> GetReal(symbolic::TraceContext& trace, NumpyTensor* self) {
  if (IsComplex(self->node->dtype)) return PartOf(trace, self, Op::kReal);
  if (self->is_scalar) return symbolic::GraphBreak("real part of a NumPy scalar");
  return self;
}

absl::StatusOr<symbolic::Value*> GetImag(symbolic::TraceContext& trace, NumpyTensor* self) {
  if (IsComplex(self->node->dtype)) return PartOf(trace, self, Op::kImag);
  return symbolic::GraphBreak("imaginary part of real numbers");
}

absl::StatusOr<symbolic::Value*> TraceShapeFunction(symbolic::TraceContext& trace,
                                                    const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  return GetShape(trace, AsNumpy(a));
}

absl::StatusOr<symbolic::Value*> TraceNdimFunction(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  return GetNdim(trace, AsNumpy(a));
}

absl::StatusOr<symbolic::Value*> TraceSizeFunction(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("axis"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  return GetSize(trace, AsNumpy(a));
}

}  // namespace dynacc::numpy
