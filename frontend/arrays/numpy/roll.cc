// np.roll along one axis: NumPy's own is a dozen Python-level calls around two copies.
#include <algorithm>

#include "frontend/arrays/numpy/arguments.h"
#include "frontend/arrays/numpy/extern_call.h"
#include "frontend/arrays/numpy/function_table.h"
#include "frontend/arrays/numpy/numpy_api.h"
#include "frontend/arrays/numpy/sizes.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Copies `count` rows of `axis`, from row `from` of `source` to row `to` of `target`.
bool CopyRows(PyArrayObject* target, npy_intp to, PyArrayObject* source, npy_intp from, int axis,
              npy_intp count) {
  if (count == 0) return true;
  npy_intp shape[NPY_MAXDIMS];
  std::copy_n(PyArray_DIMS(source), PyArray_NDIM(source), shape);
  shape[axis] = count;
  const auto part = [&](PyArrayObject* array, npy_intp row, int flags) {
    PyArray_Descr* descr = PyArray_DESCR(array);
    Py_INCREF(descr);  // PyArray_NewFromDescr takes it
    return Ref::Steal(PyArray_NewFromDescr(
        &PyArray_Type, descr, PyArray_NDIM(array), shape, PyArray_STRIDES(array),
        PyArray_BYTES(array) + row * PyArray_STRIDE(array, axis), flags, nullptr));
  };
  const Ref to_part = part(target, to, NPY_ARRAY_WRITEABLE);
  const Ref from_part = part(source, from, 0);
  return to_part && from_part &&
         PyArray_CopyInto(AsArray(to_part.get()), AsArray(from_part.get())) == 0;
}

// roll(array, shift, axis), axis from 0 to the rank - 1.
PyObject* RollRows(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  long long shift = 0;
  int axis = 0;
  if (!PyArg_ParseTuple(args, "O!Li", &PyArray_Type, &object, &shift, &axis)) return nullptr;
  PyArrayObject* source = AsArray(object);
  // In the order of the array's axes, as numpy.empty_like.
  Ref result = Ref::Steal(PyArray_NewLikeArray(source, NPY_KEEPORDER, nullptr, 0));
  if (!result) return nullptr;
  const npy_intp size = PyArray_DIM(source, axis);
  if (size == 0) return result.Release();
  const npy_intp moved = ((shift % size) + size) % size;
  PyArrayObject* target = AsArray(result.get());
  if (!CopyRows(target, moved, source, 0, axis, size - moved) ||
      !CopyRows(target, 0, source, size - moved, axis, moved)) {
    return nullptr;
  }
  return result.Release();
}

BorrowedRef RollFunction() {
  static PyMethodDef definition = {"roll", RollRows, METH_VARARGS, nullptr};
  static PyObject* const function = PyCFunction_New(&definition, nullptr);
  return function;
}

}  // namespace

absl::StatusOr<Value*> TraceRoll(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(Value * shift, args.Required("shift"));
  Value* given = args.GivenOrNull("axis");
  // Without an axis NumPy gives a view of its own.
  if (given == nullptr || a->is_scalar) return GraphBreak("a roll without an axis");
  DYNACC_RETURN_IF_ERROR(SizeFrom(trace, shift).status());
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, given, a->node->rank()));
  Value* const arguments[] = {a, shift,
                              trace.New<ConstantValue>(Ref::Steal(PyLong_FromLongLong(axis)))};
  DYNACC_ASSIGN_OR_RETURN(TracedCall call, TakeApart(trace, RollFunction(), {arguments, {}}));
  NumpyTensor* result = EmitKnown(trace, std::move(call), a->node->dtype, ShapeOf(a));
  result->c_order = AsNumpy(a)->c_order;
  return result;
}

}  // namespace dynacc
