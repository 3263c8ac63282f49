// Functions whose answer is a Python bool or int that the run computes: allclose, array_equal,
// count_nonzero.
#include <atomic>
#include <numeric>

#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/reductions.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// bool(np.all(a))
absl::StatusOr<symbolic::Value*> WhetherAll(symbolic::TraceContext& trace, NumpyTensor* a) {
  if (a->node->rank() > 0) {
    Reduction all;
    all.array = a;
    all.axes.resize(a->node->rank());
    std::iota(all.axes.begin(), all.axes.end(), 0);
    DYNACC_ASSIGN_OR_RETURN(a, Reduce(trace, Op::kReduceAll, all, DType::kBool));
  }
  auto* const type = reinterpret_cast<PyObject*>(&PyBool_Type);
  return trace.New<symbolic::LazyValue>(Ref::New(type), std::vector<symbolic::Value*>{a},
                                        &PyBool_Type);
}

bool CountedInPython() {
  npy_intp one = 1;
  const Ref array = Ref::Steal(PyArray_ZEROS(1, &one, NPY_DOUBLE, 0));
  BorrowedRef function = FunctionNamed("count_nonzero");
  const Ref count =
      array && function != nullptr ? Ref::Steal(PyObject_CallOneArg(function, array.get())) : Ref();
  PyErr_Clear();
  return !count || PyLong_CheckExact(count.get());
}

// Whether np.count_nonzero gives a Python int, as it did until NumPy 2.3, or a NumPy scalar. The
// call lets other threads in: one that waited for a static to be made would keep the GIL.
bool CountsInPython() {
  static std::atomic<int> known{-1};
  if (known < 0) known = CountedInPython() ? 1 : 0;
  return known == 1;
}

absl::StatusOr<symbolic::TensorValue*> ArrayOf(const BoundArgs& args, absl::string_view name) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * array, args.Tensor(name));
  return array->is_scalar ? symbolic::GraphBreak("a comparison of single numbers")
                          : absl::StatusOr<symbolic::TensorValue*>(array);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceAllClose(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  BorrowedRef numpy_module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  BorrowedRef is_close = numpy_module == nullptr ? nullptr : FindDotted(numpy_module, "isclose");
  const NumpyLibraryCallRow* const row = LibraryRowOf(is_close);
  if (row == nullptr) return symbolic::GraphBreak("isclose is not NumPy's own");
  DYNACC_RETURN_IF_ERROR(trace.RequireNoDecomposition(FindDotted(numpy_module, "allclose")));
  arrays::CallArgs call;
  std::vector<symbolic::Value*> positional;
  for (const char* name : {"a", "b"}) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required(name));
    positional.push_back(value);
  }
  for (const char* name : {"rtol", "atol", "equal_nan"}) {
    if (args[name] != nullptr) call.keywords.emplace_back(name, args[name]);
  }
  call.positional = positional;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * close,
                          CallLibraryRow(trace, *row, is_close, nullptr, call));
  auto* const result = symbolic::As<symbolic::TensorValue>(close);
  if (result == nullptr) return symbolic::GraphBreak("a comparison of another kind");
  return WhetherAll(trace, AsNumpy(result));
}

absl::StatusOr<symbolic::Value*> TraceArrayEqual(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(const bool equal_nan, args.Flag("equal_nan", false));
  if (equal_nan) return symbolic::GraphBreak("argument equal_nan");
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, ArrayOf(args, "a1"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * b, ArrayOf(args, "a2"));
  if (!IsSameShape(trace, ShapeOf(a), ShapeOf(b))) {
    return trace.New<symbolic::ConstantValue>(Ref::New(Py_False));
  }
  symbolic::Value* const operands[] = {a, b};
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * equal, Elementwise(trace, Op::kEqual, operands));
  return WhetherAll(trace, equal);
}

absl::StatusOr<symbolic::Value*> TraceCountNonzero(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("axis"));
  DYNACC_ASSIGN_OR_RETURN(const bool keepdims, args.Flag("keepdims", false));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, ArrayOf(args, "a"));
  const DType dtype = a->node->dtype;
  if (keepdims || a->node->rank() == 0 || IsComplex(dtype))
    return symbolic::GraphBreak("an array as a count");
  ir::Graph& graph = trace.graph();
  const ir::Node* nonzero = a->node;
  if (dtype != DType::kBool) {
    const ir::Node* const zero = graph.Scalar(dtype, graph.scalars().Int(0));
    nonzero = graph.Binary(Op::kNotEqual, nonzero, graph.BroadcastTo(zero, nonzero->shape));
  }
  Reduction count;
  count.array = NewTensor(trace, nonzero, ShapeOf(a), AsNumpy(a)->c_order);
  count.axes.resize(nonzero->rank());
  std::iota(count.axes.begin(), count.axes.end(), 0);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * sum, Reduce(trace, Op::kReduceSum, count, DType::kInt64));
  if (!CountsInPython()) return sum;
  auto* const type = reinterpret_cast<PyObject*>(&PyLong_Type);
  return trace.New<symbolic::LazyValue>(Ref::New(type), std::vector<symbolic::Value*>{sum},
                                        &PyLong_Type);
}

}  // namespace dynacc::numpy
