// astype, copy, asarray, float32(x).
#include "frontend/numpy/trace/conversion.h"

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/as_array.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/numpy/trace/numpy_library_caller.h"
#include "frontend/numpy/trace/strides.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::Status RequireCast(DType from, DType to) {
  // What NumPy makes of floats that do not fit depends on where in the array they stand.
  if (IsInexact(from) && to == DType::kUInt32)
    return symbolic::GraphBreak("a cast of floats to uint32");
  if (IsComplex(from) && !IsComplex(to) && to != DType::kBool) {
    return symbolic::GraphBreak("a cast that drops imaginary parts, of which NumPy warns");
  }
  return absl::OkStatus();
}

absl::StatusOr<const ir::Node*> CopyInKeptOrder(symbolic::TraceContext& trace, const ir::Node* node,
                                                const Shape& shape) {
  const bool is_the_librarys = ir::MakesCall(*node) && shape.rank() > 1;
  for (int axis = 0; is_the_librarys && axis < shape.rank(); ++axis) {
    const Size size = shape.at(axis);
    if (!trace.IsDataDependent(size.id) && IsEqual(trace, size, ConstantSize(trace, 1))) {
      return symbolic::GraphBreak("a copy of a function's result that has an axis of one element");
    }
  }
  return trace.graph().Copied(Op::kKeepOrder, node);
}

namespace {

absl::StatusOr<NumpyTensor*> Copied(symbolic::TraceContext& trace, symbolic::TensorValue* a,
                                    Op order, DType dtype) {
  const ir::Node* node = trace.graph().Cast(dtype, a->node);
  if (order == Op::kKeepOrder) {
    DYNACC_ASSIGN_OR_RETURN(node, CopyInKeptOrder(trace, node, ShapeOf(a)));
  } else {
    node = trace.graph().Copied(order, node);
  }
  const COrder c_order = order == Op::kCOrder ? COrder(std::in_place) : AsNumpy(a)->c_order;
  return NewTensor(trace, node, ShapeOf(a), c_order, /*scalar_if_rank_0=*/a->is_scalar);
}

// The array itself if the function's dtype argument asks for nothing else.
absl::StatusOr<NumpyTensor*> Unchanged(symbolic::TraceContext& trace, const BoundArgs& args) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("like"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  if (a->is_scalar) return symbolic::GraphBreak("an array of a NumPy scalar");
  if (symbolic::Value* given = args.GivenOrNull("dtype")) {
    DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeFrom(trace, given));
    if (dtype != a->node->dtype) return symbolic::GraphBreak("asarray with another dtype");
  }
  return AsNumpy(a);
}

// What the type makes of a number that is known now, as known: promotion may depend on it. Null if
// it raises or warns.
Ref KnownOfType(DType dtype, BorrowedRef number) {
  const WarningsAs errors("error");
  const WatchedErrorState watched(kAllFpFlags);
  Ref known =
      Ref::Steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(Descr(dtype)->typeobj), number));
  PyErr_Clear();
  return known && !watched.HasErrors() && FromScalar(known.get()) == dtype ? known : Ref();
}

// Whether the type makes the same of every number of the other as a cast does, without a warning.
bool IsWider(DType from, DType to) {
  if (from == to || from == DType::kBool) return true;
  return PyArray_CanCastSafely(TypeNum(from), TypeNum(to)) != 0 ||
         (IsFloat(to) && !IsComplex(from)) || (IsComplex(to) && IsComplex(from));
}

// Whether the type makes a scalar of an array with axes: float64 is a Python float first, and
// float() takes an array of one element, unless it is complex.
bool MayBeOneFloat(symbolic::TraceContext& trace, const symbolic::TensorValue* a, DType dtype) {
  if (dtype != DType::kFloat64 || a->node->rank() == 0 || IsComplex(a->node->dtype)) return false;
  const Size count = ProductOf(trace, ShapeOf(a), 0, a->node->rank());
  return trace.IsDataDependent(count.id) || IsEqual(trace, count, ConstantSize(trace, 1));
}

// A NumPy scalar made of a single number; of an array the array in that dtype.
absl::StatusOr<symbolic::Value*> ToScalar(symbolic::TraceContext& trace, const BoundArgs& args,
                                          DType dtype) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("x"));
  DYNACC_ASSIGN_OR_RETURN(const Operand operand, MakeOperand(trace, value));
  if (operand.tensor != nullptr && !operand.tensor->is_scalar) {
    if (MayBeOneFloat(trace, operand.tensor, dtype))
      return symbolic::GraphBreak("float64 of one element");
    // Of an array of the type with axes it is that array.
    if (operand.dtype == dtype && operand.is_array()) return operand.tensor;
    DYNACC_RETURN_IF_ERROR(RequireCast(operand.dtype, dtype));
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor* const cast,
                            Copied(trace, operand.tensor, Op::kKeepOrder, dtype));
    cast->is_scalar = cast->node->rank() == 0;
    return cast;
  }
  const bool varies = operand.tensor != nullptr && operand.tensor->source() != nullptr;
  if (operand.object && !varies) {
    Ref known = KnownOfType(dtype, operand.object.get());
    if (!known) return symbolic::GraphBreak("a number that the type does not hold");
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * scalar, KnownScalar(trace, std::move(known)));
    return scalar;
  }
  if (!IsWider(operand.dtype, dtype))
    return symbolic::GraphBreak("a number that the type may not hold");
  return NewTensor(trace, NodeOf(trace, operand, dtype), Shape(), COrder(std::in_place));
}

// np.array(value[, dtype]), by whichever table has it.
absl::StatusOr<symbolic::Value*> MakeArray(symbolic::TraceContext& trace, symbolic::Value* value,
                                           symbolic::Value* dtype) {
  BorrowedRef array = FunctionNamed("array");
  const NumpyFunctionRow* const row = TracedRowOf(array);
  if (row == nullptr) return symbolic::GraphBreak("array is not NumPy's own");
  symbolic::Value* const positional[] = {value};
  arrays::CallArgs call;
  call.positional = positional;
  if (dtype != nullptr) call.keywords.emplace_back("dtype", dtype);
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound, BoundArgs::Bind(row->signature, nullptr, call));
  absl::StatusOr<symbolic::Value*> made = row->handler(trace, bound, row->op);
  if (made.ok() || symbolic::IsRaisingBreak(made.status())) return made;
  return CallLibraryRow(trace, *LibraryRowOf(array), array, nullptr, call);
}

}  // namespace

absl::StatusOr<NumpyTensor*> AsArrayValue(symbolic::TraceContext& trace, symbolic::Value* value,
                                          symbolic::Value* dtype) {
  auto* a = symbolic::As<symbolic::TensorValue>(value);
  if (symbolic::TensorValue* scalar = ScalarOfNumber(value)) a = scalar;
  if (a == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * made, MakeArray(trace, value, dtype));
    return AsNumpy(symbolic::As<symbolic::TensorValue>(made));
  }
  DType wanted = a->node->dtype;
  if (dtype != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(wanted, DTypeFrom(trace, dtype));
  }
  if (!a->is_scalar && wanted == a->node->dtype) return AsNumpy(a);
  DYNACC_RETURN_IF_ERROR(RequireCast(a->node->dtype, wanted));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor* const made, Copied(trace, a, Op::kKeepOrder, wanted));
  made->is_scalar = false;
  return made;
}

absl::StatusOr<symbolic::Value*> TraceAstype(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  const Op order = args.RefuseUnlessText("order", "K").ok() ? Op::kKeepOrder : Op::kCOrder;
  if (order == Op::kCOrder) DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "C"));
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("casting", "unsafe"));
  DYNACC_RETURN_IF_ERROR(args.Flag("subok", true).status());
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * given, args.Required("dtype"));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeFrom(trace, given));
  DYNACC_ASSIGN_OR_RETURN(const bool copy, args.Flag("copy", true));
  if (!copy && !a->is_scalar && dtype == a->node->dtype) {
    const bool is_as_asked = order == Op::kKeepOrder || RequireCOrder(trace, a);
    return is_as_asked ? absl::StatusOr<symbolic::Value*>(a)
                       : symbolic::GraphBreak("an array that may be given back");
  }
  DYNACC_RETURN_IF_ERROR(RequireCast(a->node->dtype, dtype));
  return Copied(trace, a, order, dtype);
}

absl::StatusOr<NumpyTensor*> CopyOfArray(symbolic::TraceContext& trace, symbolic::TensorValue* a) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * copy, Copied(trace, a, Op::kKeepOrder, a->node->dtype));
  copy->is_scalar = false;
  return copy;
}

absl::StatusOr<symbolic::Value*> TraceCopyMethod(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "C"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  return Copied(trace, a, Op::kCOrder, a->node->dtype);
}

absl::StatusOr<symbolic::Value*> TraceCopyFunction(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("order", "K"));
  DYNACC_RETURN_IF_ERROR(args.Flag("subok", false).status());
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  return CopyOfArray(trace, a);
}

absl::StatusOr<symbolic::Value*> TraceAsArray(symbolic::TraceContext& trace, const BoundArgs& args,
                                              Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("order"));
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("like"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("a"));
  return AsArrayValue(trace, value, args.GivenOrNull("dtype"));
}

absl::StatusOr<symbolic::Value*> TraceAsContiguousArray(symbolic::TraceContext& trace,
                                                        const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, Unchanged(trace, args));
  if (a->node->rank() == 0) return symbolic::GraphBreak("an array of rank 0");
  if (RequireCOrder(trace, a)) return a;
  if (IsSurelyScattered(trace, a)) return Copied(trace, a, Op::kCOrder, a->node->dtype);
  if (trace.has_free_orders()) return MaybeView(trace, a, ShapeOf(a));
  return symbolic::GraphBreak("an array that is not known to be contiguous");
}

// asarray(x, copy=True) is a copy; without `copy` it may give its argument back.
absl::StatusOr<std::optional<Shape>> CopiedAnyway(symbolic::TraceContext&, const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(const bool copies, args.Flag("copy", false));
  if (!copies) return symbolic::GraphBreak("an array that may be given back");
  return ShapeOf(a);
}

// A cast that NumPy makes in an order, or under a rule of casting, that kernels do not know.
absl::StatusOr<std::optional<Shape>> CastByNumpy(symbolic::TraceContext& trace,
                                                 const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  if (a->is_scalar || a->node->rank() == 0)
    return symbolic::GraphBreak("a cast of a single number");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * given, args.Required("dtype"));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, DTypeFrom(trace, given));
  DYNACC_ASSIGN_OR_RETURN(const bool copies, args.Flag("copy", true));
  if (!copies) return symbolic::GraphBreak("an array that may be given back");
  DYNACC_RETURN_IF_ERROR(RequireCast(a->node->dtype, dtype));
  return ShapeOf(a);
}

// A copy where the array is in C order and cannot be in both: it has elements, and several along
// two axes at least.
absl::StatusOr<std::optional<Shape>> TurnedToFortran(symbolic::TraceContext& trace,
                                                     const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  const Shape shape = ShapeOf(a);
  int long_axes = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (IsEqual(trace, shape.at(axis), ConstantSize(trace, 0)))
      return symbolic::GraphBreak("an empty array");
    long_axes += IsLess(trace, ConstantSize(trace, 1), shape.at(axis));
  }
  if (a->is_scalar || long_axes < 2 || !RequireCOrder(trace, a)) {
    return symbolic::GraphBreak("an array that may be in Fortran order");
  }
  return std::nullopt;  // a small example would be in both orders
}

#define DYNACC_SCALAR_TYPE(Type)                                                \
  absl::StatusOr<symbolic::Value*> TraceTo##Type(symbolic::TraceContext& trace, \
                                                 const BoundArgs& args, Op) {   \
    return ToScalar(trace, args, DType::k##Type);                               \
  }
DYNACC_SCALAR_TYPE(Bool)
DYNACC_SCALAR_TYPE(Int8)
DYNACC_SCALAR_TYPE(Int16)
DYNACC_SCALAR_TYPE(Int32)
DYNACC_SCALAR_TYPE(Int64)
DYNACC_SCALAR_TYPE(UInt8)
DYNACC_SCALAR_TYPE(UInt16)
DYNACC_SCALAR_TYPE(UInt32)
DYNACC_SCALAR_TYPE(UInt64)
DYNACC_SCALAR_TYPE(Float16)
DYNACC_SCALAR_TYPE(Float32)
DYNACC_SCALAR_TYPE(Float64)
DYNACC_SCALAR_TYPE(Complex64)
DYNACC_SCALAR_TYPE(Complex128)
#undef DYNACC_SCALAR_TYPE

}  // namespace dynacc::numpy
