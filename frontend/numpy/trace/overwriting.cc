#include "frontend/numpy/trace/overwriting.h"

#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/storage.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// overwriting(function, a, *arguments, **keywords): what function(copy, *arguments, **keywords)
// gives of a copy of `a`, and that copy.
PyObject* Overwriting(PyObject*, PyObject* args, PyObject* keywords) {
  const Ref copy = Ref::Steal(PyArray_NewCopy(AsArray(PyTuple_GET_ITEM(args, 1)), NPY_CORDER));
  const Ref rest = Ref::Steal(PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args)));
  if (!copy || !rest) return nullptr;
  Py_DECREF(PyTuple_GET_ITEM(rest.get(), 0));
  PyTuple_SET_ITEM(rest.get(), 0, Py_NewRef(copy.get()));
  const Ref result = Ref::Steal(PyObject_Call(PyTuple_GET_ITEM(args, 0), rest.get(), keywords));
  return result ? PyTuple_Pack(2, result.get(), copy.get()) : nullptr;
}

PyMethodDef overwriting_method = {
    "overwriting", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Overwriting)),
    METH_VARARGS | METH_KEYWORDS, nullptr};

}  // namespace

absl::StatusOr<symbolic::Value*> CallOverwriting(symbolic::TraceContext& trace, TracedCall call,
                                                 NumpyTensor* a, const Shape& shape) {
  static PyObject* const function = PyCFunction_New(&overwriting_method, nullptr);
  const bool has_order = RequireCOrder(trace, a) || trace.has_free_orders();
  if (a->is_scalar || a->is_native || a->node->rank() == 0 || !has_order) {
    return symbolic::GraphBreak("an argument that is overwritten in another memory order");
  }
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, a));
  LibraryCallArg overwriting;
  overwriting.constant = std::move(call.call.callable);
  call.call.positional.insert(call.call.positional.begin(), std::move(overwriting));
  call.call.callable = Ref::New(function);
  DYNACC_ASSIGN_OR_RETURN(const auto results,
                          EmitEach(trace, std::move(call), {shape, ShapeOf(a)}));
  DYNACC_RETURN_IF_ERROR(Write(trace, a, results[1]->node, results[1]->c_order));
  return results[0];
}

}  // namespace dynacc::numpy
