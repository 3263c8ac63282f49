// Methods that give Python's objects of an array's elements (item, tolist, tobytes), which are made
// when the segment has run, and ndarray.sort.
#include "frontend/cpython/dict_access.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/data_dependent_calls.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/in_place.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/subscript.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

PyTypeObject* PythonTypeOf(DType dtype) {
  if (dtype == DType::kBool) return &PyBool_Type;
  if (IsComplex(dtype)) return &PyComplex_Type;
  return IsFloat(dtype) ? &PyFloat_Type : &PyLong_Type;
}

// What the elements are now: later writes do not show.
NumpyTensor* Snapshot(symbolic::TraceContext& trace, symbolic::TensorValue* a) {
  return a->is_scalar ? AsNumpy(a) : NewTensor(trace, a->node, ShapeOf(a), AsNumpy(a)->c_order);
}

symbolic::Value* CallLater(symbolic::TraceContext& trace, symbolic::TensorValue* a,
                           const char* method, PyTypeObject* type) {
  NumpyTensor* const now = Snapshot(trace, a);
  PyTypeObject& owner = now->is_scalar ? PyGenericArrType_Type : PyArray_Type;
  BorrowedRef function = PyDict_GetItemString(NamespaceOf(&owner), method);
  return trace.New<symbolic::LazyValue>(Ref::New(function), std::vector<symbolic::Value*>{now},
                                        type);
}

absl::StatusOr<symbolic::TensorValue*> NumpysOwn(const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  return a->is_native ? symbolic::GraphBreak("a method of another array")
                      : absl::StatusOr<symbolic::TensorValue*>(a);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceItem(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, NumpysOwn(args));
  if (!args.rest().empty()) {
    const std::vector<symbolic::Value*> places(args.rest().begin(), args.rest().end());
    if (static_cast<int>(places.size()) != a->node->rank()) {
      return symbolic::GraphBreak("an item of an array with axes");
    }
    DYNACC_ASSIGN_OR_RETURN(
        symbolic::Value * item,
        NumpySubscript(trace, AsNumpy(a), trace.New<symbolic::TupleValue>(places)));
    a = symbolic::As<symbolic::TensorValue>(item);
  }
  if (a->node->rank() > 0) return symbolic::GraphBreak("an item of an array with axes");
  return CallLater(trace, a, "item", PythonTypeOf(a->node->dtype));
}

absl::StatusOr<symbolic::Value*> TraceToList(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, NumpysOwn(args));
  const bool is_number = a->node->rank() == 0;
  return CallLater(trace, a, is_number ? "item" : "tolist",
                   is_number ? PythonTypeOf(a->node->dtype) : &PyList_Type);
}

absl::StatusOr<symbolic::Value*> TraceToBytes(symbolic::TraceContext& trace, const BoundArgs& args,
                                              Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, NumpysOwn(args));
  return CallLater(trace, a, "tobytes", &PyBytes_Type);
}

namespace {

// a.name(...), which leaves in the array what numpy.name(a, ...) gives.
absl::StatusOr<symbolic::Value*> OrderInPlace(symbolic::TraceContext& trace, const BoundArgs& args,
                                              const char* name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, NumpysOwn(args));
  if (a->is_scalar || a->node->rank() == 0) return symbolic::GraphBreak("a sort of a number");
  BorrowedRef numpy_module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  BorrowedRef sort = numpy_module == nullptr ? nullptr : FindDotted(numpy_module, name);
  const NumpyLibraryCallRow* const row = LibraryRowOf(sort);
  if (row == nullptr) return symbolic::GraphBreak("sort is not NumPy's own");
  DYNACC_RETURN_IF_ERROR(RequireWritable(trace, AsNumpy(a)));
  symbolic::Value* const positional[] = {a};
  arrays::CallArgs call;
  call.positional = positional;
  for (const char* given : {"kth", "axis", "kind", "order"}) {
    if (args[given] != nullptr) call.keywords.emplace_back(given, args[given]);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * sorted,
                          CallLibraryRow(trace, *row, sort, nullptr, call));
  DYNACC_RETURN_IF_ERROR(
      UpdateInPlace(trace, AsNumpy(a), AsNumpy(symbolic::As<symbolic::TensorValue>(sorted))));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceSortInPlace(symbolic::TraceContext& trace,
                                                  const BoundArgs& args, Op) {
  return OrderInPlace(trace, args, "sort");
}

absl::StatusOr<symbolic::Value*> TracePartitionInPlace(symbolic::TraceContext& trace,
                                                       const BoundArgs& args, Op) {
  return OrderInPlace(trace, args, "partition");
}

// np.argwhere: transpose(nonzero(a)), the array of the indices seen the other way round.
absl::StatusOr<symbolic::Value*> TraceArgWhere(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, NumpysOwn(args));
  if (a->is_scalar || a->node->rank() == 0) return symbolic::GraphBreak("an array of rank 0");
  const NumpyDataDependentRow* const row = FindArrayMethod("nonzero")->data_dependent;
  BorrowedRef nonzero = PyDict_GetItemString(PyArray_Type.tp_dict, "nonzero");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * indices,
                          CallDataDependentRow(trace, *row, nonzero, a, {}));
  const NumpyFunctionRow* const stack = TracedRowOf(FunctionNamed("stack"));
  if (stack == nullptr) return symbolic::GraphBreak("stack is not NumPy's own");
  symbolic::Value* const positional[] = {indices};
  arrays::CallArgs call;
  call.positional = positional;
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(stack->signature, nullptr, call));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * rows, stack->handler(trace, bound, stack->op));
  const int64_t permutation[] = {1, 0};
  return TransposedView(trace, AsNumpy(symbolic::As<symbolic::TensorValue>(rows)), permutation);
}

}  // namespace dynacc::numpy
