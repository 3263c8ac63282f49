#include "frontend/arrays/numpy/externs.h"

#include "frontend/arrays/numpy/dtypes.h"
#include "frontend/arrays/numpy/numpy_api.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// An array over `view`'s memory, which the caller keeps alive.
Ref ArrayOver(const StridedView& view, int flags) {
  PyArray_Descr* descr = Descr(view.dtype);
  Py_INCREF(descr);  // PyArray_NewFromDescr takes it
  return Ref::Steal(PyArray_NewFromDescr(
      &PyArray_Type, descr, view.rank, reinterpret_cast<const npy_intp*>(view.shape),
      reinterpret_cast<const npy_intp*>(view.strides), view.data, flags, nullptr));
}

absl::Status Failed() {
  PyErr_Clear();
  return absl::InternalError("a NumPy function failed");
}

// Copies `result` into `output`; shapes and dtypes must be what the graph says.
absl::Status CopyResult(BorrowedRef result, const StridedView& output) {
  Ref target = ArrayOver(output, NPY_ARRAY_WRITEABLE);
  Ref array = Ref::Steal(PyArray_FROM_O(result));
  if (!target || !array) return Failed();
  PyArrayObject* from = AsArray(array.get());
  if (FromDescr(PyArray_DESCR(from)) != output.dtype ||
      !PyArray_SAMESHAPE(from, AsArray(target.get()))) {
    return absl::InternalError("a NumPy function gave another dtype or shape than expected");
  }
  return PyArray_CopyInto(AsArray(target.get()), from) < 0 ? Failed() : absl::OkStatus();
}

}  // namespace

int64_t NumpyExterns::Register(BorrowedRef callable) {
  for (size_t i = 0; i < callables_.size(); ++i) {
    if (callables_[i].get() == callable) return static_cast<int64_t>(i);
  }
  callables_.push_back(Ref::New(callable));
  return static_cast<int64_t>(callables_.size()) - 1;
}

absl::Status NumpyExterns::Call(int64_t extern_id, absl::Span<const StridedView> inputs,
                                absl::Span<StridedView> outputs) {
  DYNACC_CHECK(extern_id >= 0 && extern_id < static_cast<int64_t>(callables_.size()))
      << "no extern " << extern_id;
  Ref args = Ref::Steal(PyTuple_New(inputs.size()));
  if (!args) return Failed();
  for (size_t i = 0; i < inputs.size(); ++i) {
    PyObject* array = ArrayOver(inputs[i], 0).Release();
    if (array == nullptr) return Failed();
    PyTuple_SET_ITEM(args.get(), i, array);
  }
  Ref result = Ref::Steal(PyObject_Call(callables_[extern_id].get(), args.get(), nullptr));
  if (!result) return Failed();
  if (!PyTuple_CheckExact(result.get())) {
    if (outputs.size() != 1) return absl::InternalError("a NumPy function gave one result");
    return CopyResult(result.get(), outputs[0]);
  }
  if (PyTuple_GET_SIZE(result.get()) != static_cast<Py_ssize_t>(outputs.size())) {
    return absl::InternalError("a NumPy function gave another number of results than expected");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    DYNACC_RETURN_IF_ERROR(CopyResult(PyTuple_GET_ITEM(result.get(), i), outputs[i]));
  }
  return absl::OkStatus();
}

}  // namespace dynacc
