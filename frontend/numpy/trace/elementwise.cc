#include "frontend/numpy/trace/elementwise.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/numpy/trace/array_power.h"
#include "frontend/numpy/trace/bit_exactness.h"
#include "frontend/numpy/trace/complex_product.h"
#include "frontend/numpy/trace/error_state.h"
#include "frontend/numpy/trace/numpy_library_caller.h"
#include "frontend/numpy/trace/weak_numbers.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/platform/host_memory.h"

namespace dynacc::numpy {
namespace {

bool IsConstant(const Operand& operand) {
  return operand.object && (operand.tensor == nullptr || operand.tensor->source() == nullptr);
}

// The ufunc called on constants, now: sqrt(64) is the same at every call. Breaks if it raises a
// flag, because every call has to.
absl::StatusOr<NumpyTensor*> FoldConstants(symbolic::TraceContext& trace, Op op,
                                           absl::Span<const Operand> operands) {
  Ref args = Ref::Steal(PyTuple_New(operands.size()));
  for (size_t i = 0; args && i < operands.size(); ++i) {
    PyTuple_SET_ITEM(args.get(), i, Ref(operands[i].object).Release());
  }
  const WatchedErrorState watched(kAllFpFlags);
  const WarningsAs errors("error");  // what warns is the program's to do
  Ref result;
  if (args) {
    result = Ref::Steal(PyObject_CallObject(reinterpret_cast<PyObject*>(UfuncOf(op)), args.get()));
  }
  PyErr_Clear();
  if (!result || watched.HasErrors() || !IsNumpyScalar(result.get())) {
    return symbolic::GraphBreak(absl::StrCat(Info(op).numpy, " of these constants"));
  }
  return KnownScalar(trace, std::move(result));
}

const ir::Node* Emit(ir::Graph& graph, Op op, const std::vector<const ir::Node*>& nodes) {
  return nodes.size() == 1 ? graph.Unary(op, nodes[0]) : graph.Binary(op, nodes[0], nodes[1]);
}

// Whether the run time has the loop that NumPy would run, and the graph gives its result's dtype.
bool HasLoop(Op op, const Prepared& prepared) {
  const DType dtype = prepared.nodes[0]->dtype;
  for (const ir::Node* node : prepared.nodes) {
    if (node->dtype != dtype) return false;
  }
  return kernel::FindLibraryLoop(static_cast<int>(op), dtype) &&
         prepared.types.back() == TypeNum(ResultOf(op, dtype));
}

// Whether all arrays are C-contiguous, which is then required: so is the result, whatever way NumPy
// takes.
bool AreInCOrder(symbolic::TraceContext& trace, absl::Span<const Operand> operands) {
  for (const Operand& operand : operands) {
    if (operand.is_array() && !operand.tensor->c_order) return false;
  }
  for (const Operand& operand : operands) {
    if (operand.is_array()) RequireCOrder(trace, operand.tensor);
  }
  return true;
}

// Whether it is a function of tensors, whose loops look at no operand from its end.
bool IsOfTensors(absl::Span<const Operand> operands) {
  return absl::c_any_of(operands, [](const Operand& operand) {
    return operand.tensor != nullptr && operand.tensor->is_native;
  });
}

// GraphBreak if NumPy's loop may have other bits for these operands than a kernel.
absl::Status RequireBits(symbolic::TraceContext& trace, Op op, const Prepared& prepared,
                         absl::Span<const Operand> operands) {
  const DType dtype = prepared.nodes[0]->dtype;
  if (op == Op::kMultiply && ProductsAreFused(dtype)) {
    return IsOfTensors(operands) ? symbolic::GraphBreak("a complex product of tensors")
                                 : absl::OkStatus();
  }
  // A compiler knows the answer without a look at the elements, and a signalling NaN goes
  // unreported.
  if (op == Op::kLogicalXor && IsInexact(dtype) && prepared.nodes[0] == prepared.nodes[1]) {
    return symbolic::GraphBreak("logical_xor of an array with itself");
  }
  const LoopBits bits = BitsOfLoop(op, dtype);
  if (bits == LoopBits::kAsKernels) return absl::OkStatus();
  if (bits != LoopBits::kOther && IsOfTensors(operands)) return absl::OkStatus();
  if (bits == LoopBits::kUnlessBackwards && AreInCOrder(trace, operands)) return absl::OkStatus();
  return symbolic::GraphBreak(
      absl::StrCat(Info(op).numpy, " as this version of NumPy computes it"));
}

// Whether an operand of several axes is broadcast by nothing but leading axes of size 1. NumPy's
// short cut for Fortran-ordered operands is then not taken, which the strides of those axes show; a
// view cannot tell this from a[None].
bool HasUnseenAxes(symbolic::TraceContext& trace, absl::Span<const Shape> operands,
                   const Shape& result) {
  const Size one = ConstantSize(trace, 1);
  for (const Shape& operand : operands) {
    if (operand.rank() < 2 || operand.rank() == result.rank()) continue;
    bool all_one = true;
    for (int axis = 0; axis < result.rank() - operand.rank(); ++axis) {
      all_one = all_one && IsEqual(trace, result.at(axis), one);
    }
    if (all_one) return true;
  }
  return false;
}

// In NumPy's order of kinds for promotion by value.
int KindOrder(DType dtype) {
  if (dtype == DType::kBool) return 0;
  return IsInexact(dtype) ? 2 : 1;
}

// Whether a logical operation takes the truth of each operand by itself, as NumPy 1.x does where no
// loop is for just these dtypes (logical_ufunc_promoter in dispatching.c) and no number gives way
// to an array (should_use_min_scalar in convert_datatype.c).
bool TakesTruths(Op op, absl::Span<const Operand> operands) {
  if (op != Op::kLogicalAnd && op != Op::kLogicalOr && op != Op::kLogicalXor) return false;
  if (HasWeakNumbers()) return false;  // the resolver says so itself
  int of_arrays = -1, of_numbers = -1;
  bool same = true;
  for (const Operand& operand : operands) {
    int& most = operand.is_array() ? of_arrays : of_numbers;
    most = std::max(most, KindOrder(operand.dtype));
    same = same && operand.dtype == operands[0].dtype;
  }
  const bool by_value = of_arrays >= 0 && of_numbers >= 0 && of_arrays >= of_numbers;
  return !same && !by_value;
}

}  // namespace

NumpyTensor* NewTensor(symbolic::TraceContext& trace, const ir::Node* node, const Shape& shape,
                       const COrder& c_order, bool scalar_if_rank_0) {
  if (!platform::FitsHostMemory(ItemSize(node->dtype), shape.hints)) {
    trace.NoteStop("an array larger than this machine's memory");
  }
  auto* tensor = trace.New<NumpyTensor>(node, shape.rank() == 0 && scalar_if_rank_0, shape.hints);
  tensor->c_order = shape.rank() <= 1 ? COrder(std::in_place) : c_order;
  return tensor;
}

namespace {

// `weak`: whether NumPy chose the types, and so makes the Python numbers elements of them. `given`:
// the dtypes if it did not, in place of those with its type numbers.
absl::StatusOr<Prepared> PrepareAs(symbolic::TraceContext& trace, const Resolver& resolve,
                                   absl::Span<const Operand> operands, bool weak,
                                   absl::Span<const DType> given = {}) {
  Prepared prepared;
  prepared.c_order.emplace();
  std::vector<PromotionOperand> promoted;
  std::vector<Shape> shapes;
  for (const Operand& operand : operands) {
    DYNACC_ASSIGN_OR_RETURN(PromotionOperand one, ForPromotion(operand));
    promoted.push_back(std::move(one));
    shapes.push_back(operand.shape);
    if (operand.is_array()) {
      prepared.c_order = Combine(prepared.c_order, operand.tensor->c_order);
    }
  }
  DYNACC_ASSIGN_OR_RETURN(prepared.types, Promote(resolve, absl::MakeSpan(promoted)));
  DYNACC_ASSIGN_OR_RETURN(prepared.shape, BroadcastShapes(trace, shapes));
  if (HasUnseenAxes(trace, shapes, prepared.shape) && !AreInCOrder(trace, operands) &&
      !trace.has_free_orders()) {
    return symbolic::GraphBreak("operands that differ by leading axes of size 1");
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::optional<DType> dtype = given.empty() ? FromTypeNum(prepared.types[i]) : given[i];
    if (!dtype) return symbolic::GraphBreak("an operation in a dtype that kernels do not handle");
    DYNACC_RETURN_IF_ERROR(RequireClasses(trace, operands[i], promoted[i]));
    if (weak) DYNACC_RETURN_IF_ERROR(RequireElement(trace, operands[i], *dtype));
    DYNACC_RETURN_IF_ERROR(RequireQuietConversion(trace, operands[i], *dtype));
    prepared.nodes.push_back(Broadcast(
        trace, CheckedNodeOf(trace, operands[i], promoted[i], *dtype), shapes[i], prepared.shape));
  }
  return prepared;
}

}  // namespace

absl::StatusOr<Prepared> Prepare(symbolic::TraceContext& trace, const Resolver& resolve,
                                 absl::Span<const Operand> operands) {
  return PrepareAs(trace, resolve, operands, HasWeakNumbers());
}

absl::StatusOr<Prepared> PrepareIn(symbolic::TraceContext& trace, absl::Span<const DType> types,
                                   absl::Span<const Operand> operands) {
  std::vector<int> numbers;
  for (const DType dtype : types) numbers.push_back(TypeNum(dtype));
  const auto given = [&numbers](absl::Span<PyObject* const>) { return numbers; };
  return PrepareAs(trace, given, operands, /*weak=*/false, types);
}

absl::StatusOr<NumpyTensor*> ElementwiseIn(symbolic::TraceContext& trace, Op op, DType dtype,
                                           absl::Span<const Operand> operands) {
  std::vector<DType> types(operands.size(), dtype);
  types.push_back(ResultOf(op, dtype));
  DYNACC_ASSIGN_OR_RETURN(const Prepared prepared, PrepareIn(trace, types, operands));
  // The parts of complex numbers have no ufunc, but every target has them.
  const bool is_part = op == Op::kReal || op == Op::kImag;
  if (!is_part && !HasLoop(op, prepared)) {
    return symbolic::GraphBreak(absl::StrCat(Info(op).numpy, " in a dtype without a loop"));
  }
  if (!is_part) DYNACC_RETURN_IF_ERROR(RequireBits(trace, op, prepared, operands));
  DYNACC_ASSIGN_OR_RETURN(const Op form, ProductForm(trace, op, operands, prepared));
  return NewTensor(trace, Emit(trace.graph(), form, prepared.nodes), prepared.shape,
                   prepared.c_order, /*scalar_if_rank_0=*/false);
}

absl::StatusOr<NumpyTensor*> Elementwise(symbolic::TraceContext& trace, Op op,
                                         absl::Span<const Operand> operands) {
  PyUFuncObject* ufunc = UfuncOf(op);
  if (ufunc == nullptr)
    return symbolic::GraphBreak(absl::StrCat(Info(op).numpy, " is not NumPy's own"));
  if (std::all_of(operands.begin(), operands.end(), IsConstant)) {
    return FoldConstants(trace, op, operands);
  }
  if (op == Op::kFloatPower && HasFastPowers())
    return symbolic::GraphBreak("a power with short cuts");
  if (op == Op::kPower && (HasFastPowers() || PowerSquares(operands[0].dtype))) {
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * short_cut, ShortCutOfPower(trace, operands));
    if (short_cut != nullptr) return short_cut;
  }
  const bool truths = TakesTruths(op, operands);
  for (const Operand& operand : operands) {
    if (truths && !operand.is_array() && IsComplex(operand.dtype)) {
      return symbolic::GraphBreak("the truth of a complex number");
    }
  }
  const auto resolve = [ufunc, truths](absl::Span<PyObject* const> examples) {
    if (truths) return std::vector<int>(examples.size() + 1, NPY_BOOL);
    return ResolveTypes(ufunc, examples);
  };
  DYNACC_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(trace, resolve, operands));
  if (!HasLoop(op, prepared)) {
    return symbolic::GraphBreak(absl::StrCat(Info(op).numpy, " in a dtype without a loop"));
  }
  DYNACC_RETURN_IF_ERROR(RequireBits(trace, op, prepared, operands));
  DYNACC_ASSIGN_OR_RETURN(const Op form, ProductForm(trace, op, operands, prepared));
  return NewTensor(trace, Emit(trace.graph(), form, prepared.nodes), prepared.shape,
                   prepared.c_order);
}

absl::StatusOr<NumpyTensor*> Elementwise(symbolic::TraceContext& trace, Op op,
                                         absl::Span<symbolic::Value* const> values) {
  std::vector<Operand> operands;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(Operand operand, MakeOperand(trace, value));
    operands.push_back(std::move(operand));
  }
  return Elementwise(trace, op, operands);
}

}  // namespace dynacc::numpy
