#include "frontend/numpy/trace/operand.h"

#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/scalar_class.h"
#include "frontend/numpy/trace/number_calls.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/gather_plan.h"

namespace dynacc::numpy {
namespace {

// NumPy's dtype for Python's numbers, by ScalarType.
constexpr DType kDTypeOfScalarType[] = {DType::kInt64, DType::kFloat64, DType::kBool};

DType DTypeOf(ScalarType type) { return kDTypeOfScalarType[static_cast<int>(type)]; }

Operand TensorOperand(NumpyTensor* tensor) {
  Operand operand;
  operand.tensor = tensor;
  operand.dtype = tensor->node->dtype;
  operand.shape = ShapeOf(tensor);
  operand.object = tensor->object;
  return operand;
}

Operand NumberOperand(symbolic::NumberValue* number) {
  Operand operand;
  operand.number = number;
  operand.scalar = number->id;
  operand.dtype = DTypeOf(number->type);
  return operand;
}

absl::StatusOr<Operand> ConstantOperand(symbolic::TraceContext& trace, BorrowedRef object) {
  if (IsNumpyScalar(object)) {
    DYNACC_ASSIGN_OR_RETURN(NumpyTensor * tensor, KnownScalar(trace, Ref::New(object)));
    return TensorOperand(tensor);
  }
  Operand operand;
  operand.object = Ref::New(object);
  DYNACC_ASSIGN_OR_RETURN(operand.scalar, ScalarOf(trace, object));
  operand.dtype = operand.scalar.is_complex()
                      ? DType::kComplex128
                      : DTypeOf(trace.graph().scalars().expr(operand.scalar.real).type);
  return operand;
}

// Requires lo <= number <= hi.
absl::Status RequireRange(symbolic::TraceContext& trace, const symbolic::NumberValue& number,
                          ScalarValue lo, ScalarValue hi) {
  ScalarProgram& scalars = trace.graph().scalars();
  const bool is_float = number.type == ScalarType::kFloat;
  const bool inside = is_float ? number.hint.f >= lo.f && number.hint.f <= hi.f
                               : number.hint.i >= lo.i && number.hint.i <= hi.i;
  if (!inside) return symbolic::GraphBreak("value-based promotion on a number that is not finite");
  const ScalarId low = is_float ? scalars.Float(lo.f) : scalars.Int(lo.i);
  const ScalarId high = is_float ? scalars.Float(hi.f) : scalars.Int(hi.i);
  trace.RequireTrue(scalars.Apply(ScalarOp::kLe, low, number.id));
  trace.RequireTrue(scalars.Apply(ScalarOp::kLe, number.id, high));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Operand> MakeOperand(symbolic::TraceContext& trace, symbolic::Value* value) {
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value))
    return TensorOperand(AsNumpy(tensor));
  if (auto* scalar = ScalarOfNumber(value)) {
    Operand operand = TensorOperand(AsNumpy(scalar));
    operand.is_python = true;
    return operand;
  }
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) return NumberOperand(number);
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) {
    return ConstantOperand(trace, constant->object.get());
  }
  return symbolic::GraphBreak("an operand that is not an array or a number");
}

absl::StatusOr<PromotionOperand> ForPromotion(const Operand& operand) {
  if (operand.is_array()) return ArrayOperand(operand.dtype);
  if (operand.is_python && HasWeakNumbers()) {
    return operand.dtype == DType::kInt64 ? DynamicInt(0) : DynamicFloat(0);
  }
  if (operand.number != nullptr) {
    const symbolic::NumberValue& number = *operand.number;
    if (number.type == ScalarType::kBool) return DynamicBool();
    return number.type == ScalarType::kInt ? DynamicInt(number.hint.i)
                                           : DynamicFloat(number.hint.f);
  }
  if (!operand.object) return UnknownOperand(operand.dtype);
  const bool varies = operand.tensor != nullptr && operand.tensor->source() != nullptr;
  return varies ? ExactOperand(operand.dtype, operand.object.get())
                : KnownOperand(operand.object.get());
}

absl::Status RequireClasses(symbolic::TraceContext& trace, const Operand& operand,
                            const PromotionOperand& promoted) {
  using Varies = PromotionOperand::Varies;
  if (!promoted.restricted() || promoted.varies == Varies::kChecked) return absl::OkStatus();
  if (operand.number == nullptr) {
    trace.AddGuard(guards::GuardKind::kScalarClass, operand.tensor->source(), nullptr,
                   ScalarClassOf(operand.object.get()));
    return absl::OkStatus();
  }
  const auto classes = operand.number->type == ScalarType::kInt ? IntClasses() : FloatClasses();
  return RequireRange(trace, *operand.number, classes[promoted.first].lo,
                      classes[promoted.last].hi);
}

const ir::Node* NodeOf(symbolic::TraceContext& trace, const Operand& operand, DType dtype) {
  ir::Graph& graph = trace.graph();
  if (operand.tensor != nullptr) return graph.Cast(dtype, operand.tensor->node);
  // A Python int is an int64 to NumPy 1, which minds the conversion to an unsigned dtype: it keeps
  // the loop from the short way, and so decides in which memory order the result lies.
  const bool is_int = graph.scalars().expr(operand.scalar.real).type == ScalarType::kInt;
  if (is_int && Info(dtype).kind == DTypeKind::kUnsigned && !HasWeakNumbers()) {
    return graph.Cast(dtype, graph.Scalar(DType::kInt64, operand.scalar));
  }
  return graph.Scalar(dtype, operand.scalar);
}

const ir::Node* EndRunIf(symbolic::TraceContext& trace, const ir::Node* condition,
                         const ir::Node* number) {
  ir::Graph& graph = trace.graph();
  const auto place = [&graph](int64_t at) {
    return graph.Scalar(DType::kInt64, graph.scalars().Int(at));
  };
  const ScalarId one = graph.scalars().Int(1);
  return graph.Take(graph.BroadcastTo(number, {&one, 1}),
                    graph.Where(condition, place(executor::kEndOfRun), place(0)));
}

const ir::Node* CheckedNodeOf(symbolic::TraceContext& trace, const Operand& operand,
                              const PromotionOperand& promoted, DType dtype) {
  const bool is_checked =
      promoted.varies == PromotionOperand::Varies::kChecked && promoted.restricted();
  const ir::Node* const made = NodeOf(trace, operand, dtype);
  if (!is_checked) return made;
  ir::Graph& graph = trace.graph();
  ScalarProgram& scalars = graph.scalars();
  const ir::Node* const number = operand.tensor->node;
  const bool is_int = number->dtype == DType::kInt64;
  const auto classes = is_int ? IntClasses() : FloatClasses();
  const auto limit = [&](ScalarValue value) {
    return graph.Scalar(number->dtype, is_int ? scalars.Int(value.i) : scalars.Float(value.f));
  };
  const ir::Node* beyond = graph.Binary(
      Op::kLogicalOr, graph.Binary(Op::kLess, number, limit(classes[promoted.first].lo)),
      graph.Binary(Op::kGreater, number, limit(classes[promoted.last].hi)));
  if (!is_int) {  // infinities are of 0's class
    beyond = graph.Binary(Op::kLogicalAnd, beyond, graph.Unary(Op::kIsFinite, number));
  }
  return EndRunIf(trace, beyond, made);
}

absl::StatusOr<NumpyTensor*> KnownScalar(symbolic::TraceContext& trace, Ref object) {
  const std::optional<DType> dtype = FromScalar(object.get());
  if (!dtype) return symbolic::GraphBreak("a NumPy scalar of a dtype that kernels do not handle");
  DYNACC_ASSIGN_OR_RETURN(const ir::Number scalar, ScalarOf(trace, object.get()));
  auto* tensor =
      trace.New<NumpyTensor>(trace.graph().Scalar(*dtype, scalar), true, std::vector<int64_t>{});
  tensor->object = std::move(object);
  tensor->c_order.emplace();
  return tensor;
}

absl::StatusOr<ir::Number> ScalarOf(symbolic::TraceContext& trace, BorrowedRef object) {
  ScalarProgram& scalars = trace.graph().scalars();
  Ref plain = Ref::New(object);
  if (IsNumpyScalar(object)) {  // the Python number of the same value
    plain = Ref::Steal(PyObject_CallMethod(object, "item", nullptr));
  }
  PyErr_Clear();
  if (plain && PyBool_Check(plain.get())) return scalars.Bool(plain.get() == Py_True);
  if (plain && PyFloat_CheckExact(plain.get())) {
    return scalars.Float(PyFloat_AS_DOUBLE(plain.get()));
  }
  if (plain && PyComplex_CheckExact(plain.get())) {
    return ir::Number(scalars.Float(PyComplex_RealAsDouble(plain.get())),
                      scalars.Float(PyComplex_ImagAsDouble(plain.get())));
  }
  if (!plain || !PyLong_CheckExact(plain.get())) {
    return symbolic::GraphBreak("an operand that is not an array or a number");
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(plain.get(), &overflow);
  if (overflow != 0) return symbolic::GraphBreak("an int beyond 64 bits");
  return scalars.Int(value);
}

}  // namespace dynacc::numpy
