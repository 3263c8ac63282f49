// np.array of an array, which is a copy, and of a list of numbers, of which some are computed:
// [x * y, x - y, 2.0].
//
// The elements are chosen by their place, where(place == 0, x * y, where(place == 1, ...)), so that
// what computes them and what reads the array become one kernel.
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/conversion.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// Every element is computed in every place.
constexpr size_t kMaxElements = 8;

absl::StatusOr<std::vector<Operand>> NumbersOf(symbolic::TraceContext& trace,
                                               symbolic::Value* value) {
  auto* list = symbolic::As<symbolic::ListValue>(value);
  if (list == nullptr || list->items.empty() || list->items.size() > kMaxElements) {
    return symbolic::GraphBreak("an array of other things than a few numbers");
  }
  std::vector<Operand> numbers;
  bool any_computed = false;
  for (symbolic::Value* item : list->items) {
    DYNACC_ASSIGN_OR_RETURN(Operand number, MakeOperand(trace, item));
    if (!number.is_plain_scalar()) return symbolic::GraphBreak("an array of arrays");
    any_computed = any_computed || (number.tensor != nullptr && !number.object);
    numbers.push_back(std::move(number));
  }
  if (!any_computed) return symbolic::GraphBreak("an array of known numbers");
  return numbers;
}

// What NumPy finds for a list of such numbers: their dtypes, not their values, promoted.
absl::StatusOr<DType> CommonDType(absl::Span<const Operand> numbers) {
  PyArray_Descr* common = Descr(numbers[0].dtype);
  Py_INCREF(common);
  for (const Operand& number : numbers.subspan(1)) {
    PyArray_Descr* both = PyArray_PromoteTypes(common, Descr(number.dtype));
    Py_DECREF(common);
    if (both == nullptr) PyErr_Clear();
    if (both == nullptr) return symbolic::GraphBreak("an array of numbers without a common dtype");
    common = both;
  }
  const std::optional<DType> dtype = FromDescr(common);
  Py_DECREF(common);
  if (!dtype) return symbolic::GraphBreak("a dtype that kernels do not handle");
  return *dtype;
}

// The array [0, 1, ... count - 1], made once.
absl::StatusOr<const ir::Node*> Places(symbolic::TraceContext& trace, int64_t count) {
  static PyObject* const arange = [] {
    PyObject* found = CoreObject("arange").Release();
    PyErr_Clear();
    return found;
  }();
  if (arange == nullptr) return symbolic::GraphBreak("no numpy.arange");
  symbolic::Value* const arguments[] = {
      trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLongLong(count)))};
  DYNACC_ASSIGN_OR_RETURN(TracedCall call, TakeApart(trace, arange, {arguments, {}}));
  Shape shape;
  shape.push_back(ConstantSize(trace, count));
  return EmitKnown(trace, std::move(call), DType::kInt64, shape)->node;
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceArray(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  for (const char* name : {"dtype", "like"}) DYNACC_RETURN_IF_ERROR(args.RefuseGiven(name));
  for (const char* name : {"copy", "order", "subok", "ndmin"}) {
    if (args[name] != nullptr) return symbolic::GraphBreak(absl::StrCat("argument ", name));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * object, args.Required("object"));
  if (auto* array = symbolic::As<symbolic::TensorValue>(object)) {
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * copy, CopyOfArray(trace, array));
    return copy;
  }
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Operand> numbers, NumbersOf(trace, object));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, CommonDType(numbers));
  const auto count = static_cast<int64_t>(numbers.size());
  Shape shape;
  shape.push_back(ConstantSize(trace, count));
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* places, Places(trace, count));
  ir::Graph& graph = trace.graph();
  const auto spread = [&](const Operand& number) {
    return Broadcast(trace, NodeOf(trace, number, dtype), Shape(), shape);
  };
  const ir::Node* node = spread(numbers.back());
  for (int64_t i = count - 2; i >= 0; --i) {
    const ir::Node* place =
        Broadcast(trace, graph.Scalar(DType::kInt64, graph.scalars().Int(i)), Shape(), shape);
    node = graph.Where(graph.Binary(Op::kEqual, places, place), spread(numbers[i]), node);
  }
  return NewTensor(trace, node, shape, COrder(std::in_place));
}

}  // namespace dynacc::numpy
