#include "frontend/numpy/trace/wrap.h"

#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/storage.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

absl::StatusOr<symbolic::TensorValue*> WrapArray(symbolic::TraceContext& trace, BorrowedRef object,
                                                 const sources::Source* source) {
  PyArrayObject* array = AsArray(object);
  const DType dtype = *FromDescr(PyArray_DESCR(array));
  const int rank = PyArray_NDIM(array);
  trace.AddGuard(guards::GuardKind::kArray, source, nullptr, rank, static_cast<int64_t>(dtype));
  std::vector<ScalarId> shape;
  for (int axis = 0; axis < rank; ++axis) {
    shape.push_back(trace.Dim(source, axis, PyArray_DIM(array, axis)));
  }
  auto* tensor = trace.New<NumpyTensor>(
      trace.ArrayInput(source, dtype, shape), false,
      std::vector<int64_t>(PyArray_DIMS(array), PyArray_DIMS(array) + rank), source);
  if (rank == 0 && trace.HoldsValue(*source)) tensor->object = Ref::New(object);
  if (PyArray_IS_C_CONTIGUOUS(array)) tensor->c_order = std::vector<const sources::Source*>{source};
  tensor->input = tensor->node;
  tensor->memory = Ref::New(object);
  DYNACC_RETURN_IF_ERROR(CheckApartFromWritten(trace, tensor));
  trace.NoteExisting(tensor, object);
  return tensor;
}

symbolic::TensorValue* WrapScalar(symbolic::TraceContext& trace, BorrowedRef object,
                                  const sources::Source* source) {
  const DType dtype = *FromScalar(object);
  trace.AddGuard(guards::GuardKind::kNumpyScalar, source, nullptr, 0, static_cast<int64_t>(dtype));
  auto* tensor = trace.New<NumpyTensor>(trace.ArrayInput(source, dtype, {}), true,
                                        std::vector<int64_t>{}, source);
  if (trace.HoldsValue(*source)) tensor->object = Ref::New(object);
  tensor->c_order.emplace();
  return tensor;
}

}  // namespace

absl::StatusOr<symbolic::TensorValue*> WrapNumpy(symbolic::TraceContext& trace, BorrowedRef object,
                                                 const sources::Source* source) {
  if (IsNumpyArray(object)) return WrapArray(trace, object, source);
  if (IsNumpyScalar(object)) return WrapScalar(trace, object, source);
  return symbolic::GraphBreak("an array that kernels do not handle");
}

}  // namespace dynacc::numpy
