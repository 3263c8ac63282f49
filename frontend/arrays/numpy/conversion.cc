// astype, copy, asarray, float32(x).
#include "frontend/arrays/numpy/arguments.h"
#include "frontend/arrays/numpy/dtypes.h"
#include "frontend/arrays/numpy/elementwise.h"
#include "frontend/arrays/numpy/function_table.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

NumpyTensor* Copied(TraceContext& trace, TensorValue* a, Op order, DType dtype) {
  Graph& graph = trace.graph();
  const Node* node = graph.Copied(order, graph.Cast(dtype, a->node));
  const COrder c_order = order == Op::kCOrder ? COrder(std::in_place) : AsNumpy(a)->c_order;
  return NewTensor(trace, node, ShapeOf(a), c_order, /*scalar_if_rank_0=*/a->is_scalar);
}

// The array itself if the function's dtype argument asks for nothing else.
absl::StatusOr<NumpyTensor*> Unchanged(TraceContext& trace, const BoundArgs& args) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("like"));
  DYNACC_ASSIGN_OR_RETURN(TensorValue * a, args.Tensor("a"));
  if (a->is_scalar) return GraphBreak("an array of a NumPy scalar");
  if (Value* given = args.GivenOrNull("dtype")) {
    DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeFrom(trace, given));
    if (dtype != a->node->dtype) return GraphBreak("asarray with another dtype");
  }
  return AsNumpy(a);
}

// A NumPy scalar made of a single number.
absl::StatusOr<Value*> ToScalar(TraceContext& trace, const BoundArgs& args, DType dtype) {
  DYNACC_ASSIGN_OR_RETURN(Value * value, args.Required("x"));
  DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
  if (operand.is_array()) return GraphBreak("a scalar type called on an array");
  // What is known stays known: promotion may depend on it. (Of float32 the conversion may warn.)
  const bool varies = operand.tensor != nullptr && operand.tensor->source() != nullptr;
  if (operand.object && !varies && dtype == DType::kFloat64 && !IsComplex(operand.dtype)) {
    Ref known = Ref::Steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(Descr(dtype)->typeobj),
                                               operand.object.get()));
    PyErr_Clear();
    if (known) {
      DYNACC_ASSIGN_OR_RETURN(NumpyTensor * scalar, KnownScalar(trace, std::move(known)));
      return scalar;
    }
  }
  return NewTensor(trace, NodeOf(trace, operand, dtype), Shape(), COrder(std::in_place));
}

}  // namespace

absl::StatusOr<Value*> TraceAstype(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "K"));
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("casting", "unsafe"));
  DYNACC_RETURN_IF_ERROR(args.Flag("subok", true).status());
  DYNACC_ASSIGN_OR_RETURN(TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(Value * given, args.Required("dtype"));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeFrom(trace, given));
  DYNACC_ASSIGN_OR_RETURN(const bool copy, args.Flag("copy", true));
  if (!copy && !a->is_scalar && dtype == a->node->dtype) return a;
  // What NumPy makes of floats that do not fit depends on where in the array they stand.
  if (IsInexact(a->node->dtype) && dtype == DType::kUInt32) {
    return GraphBreak("a cast of floats to uint32");
  }
  if (IsComplex(a->node->dtype) && !IsComplex(dtype) && dtype != DType::kBool) {
    return GraphBreak("a cast that drops imaginary parts, of which NumPy warns");
  }
  return Copied(trace, a, Op::kKeepOrder, dtype);
}

absl::StatusOr<Value*> TraceCopyMethod(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "C"));
  DYNACC_ASSIGN_OR_RETURN(TensorValue * a, args.Tensor("a"));
  return Copied(trace, a, Op::kCOrder, a->node->dtype);
}

absl::StatusOr<Value*> TraceCopyFunction(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "K"));
  DYNACC_RETURN_IF_ERROR(args.Flag("subok", false).status());
  DYNACC_ASSIGN_OR_RETURN(TensorValue * a, args.Tensor("a"));
  NumpyTensor* copy = Copied(trace, a, Op::kKeepOrder, a->node->dtype);
  copy->is_scalar = false;  // np.copy of a NumPy scalar is an array of rank 0
  return copy;
}

absl::StatusOr<Value*> TraceAsArray(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("order"));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, Unchanged(trace, args));
  return a;
}

absl::StatusOr<Value*> TraceAsContiguousArray(TraceContext& trace, const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, Unchanged(trace, args));
  if (a->node->rank() == 0 || !RequireCOrder(trace, a)) {
    return GraphBreak("an array that is not known to be contiguous");
  }
  return a;
}

absl::StatusOr<Value*> TraceToFloat32(TraceContext& trace, const BoundArgs& args, Op) {
  return ToScalar(trace, args, DType::kFloat32);
}

absl::StatusOr<Value*> TraceToFloat64(TraceContext& trace, const BoundArgs& args, Op) {
  return ToScalar(trace, args, DType::kFloat64);
}

}  // namespace dynacc
