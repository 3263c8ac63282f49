#include "frontend/tensor/native_functions.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/input_dependence.h"
#include "codegen/ir/matmul_attrs.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/matmul.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/numpy/trace/views.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/numbers.h"
#include "frontend/tensor/product.h"
#include "frontend/tensor/promotion.h"
#include "frontend/tensor/standard_loops.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

struct NativeFunction {
  NativeHandler* handler = nullptr;
  int arguments = 0;                    // -1: any number
  const ElementwiseRow* row = nullptr;  // an elementwise function
};

auto& Functions() {
  static auto& functions = *new absl::flat_hash_map<PyObject*, NativeFunction>;  // under the GIL
  return functions;
}

// The function objects live as long as the process: their module does.
void Learn(BorrowedRef module, const char* name, NativeFunction function) {
  PyObject* object = PyDict_GetItemString(PyModule_GetDict(module), name);
  if (object != nullptr) Functions().emplace(object, function);
}

absl::StatusOr<NumpyTensor*> TensorFrom(Value* value) {
  if (NumpyTensor* tensor = AsNative(value)) return tensor;
  return GraphBreak("a function of tensors with another argument");
}

absl::StatusOr<DType> NativeDTypeFrom(Value* value) {
  auto* constant = As<ConstantValue>(value);
  const std::optional<DType> dtype =
      constant == nullptr ? std::nullopt : AsDType(constant->object.get());
  if (!dtype) return GraphBreak("a dtype that is not known");
  return *dtype;
}

absl::StatusOr<NumberKind> KindFrom(Value* value) {
  if (const std::optional<NumberKind> kind = KindOfScalar(value)) return *kind;
  if (auto* number = As<NumberValue>(value)) {
    constexpr NumberKind kKinds[] = {NumberKind::kInt, NumberKind::kFloat, NumberKind::kBool};
    return kKinds[static_cast<int>(number->type)];
  }
  auto* constant = As<ConstantValue>(value);
  const std::optional<NumberKind> kind =
      constant == nullptr ? std::nullopt : KindOfNumber(constant->object.get());
  if (!kind) return GraphBreak("a tensor with an operand that is no number");
  return *kind;
}

// The number as an operand of an operation in `dtype`. An int that the dtype cannot hold raises.
absl::StatusOr<Operand> NumberIn(TraceContext& trace, Value* value, DType dtype) {
  DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(value));
  if (kind == NumberKind::kInt && IsInteger(dtype)) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t number, trace.ConstantInt(value));
    Ref object = Ref::Steal(PyLong_FromLongLong(number));
    alignas(Complex128) char element[kMaxItemSize];
    const bool fits = object && StoreNumber(object.get(), kind, dtype, element);
    PyErr_Clear();
    if (!fits) return RaisingBreak("an int that the dtype cannot hold");
  }
  return MakeOperand(trace, value);
}

absl::StatusOr<std::vector<Operand>> OperandsIn(TraceContext& trace, DType dtype,
                                                absl::Span<Value* const> values) {
  std::vector<Operand> operands;
  for (Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(Operand operand, AsNative(value) ? MakeOperand(trace, value)
                                                             : NumberIn(trace, value, dtype));
    operands.push_back(std::move(operand));
  }
  return operands;
}

// The promoted dtype of tensors and numbers, of which one is a tensor.
absl::StatusOr<DType> PromotedDType(absl::Span<Value* const> values) {
  std::optional<DType> promoted;
  for (Value* value : values) {
    const NumpyTensor* tensor = AsNative(value);
    if (tensor == nullptr) continue;
    promoted = promoted ? Promote(*promoted, tensor->node->dtype) : tensor->node->dtype;
  }
  if (!promoted) return GraphBreak("a function of tensors without a tensor");
  for (Value* value : values) {
    if (AsNative(value) != nullptr) continue;
    DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(value));
    promoted = PromoteNumber(*promoted, kind);
  }
  return *promoted;
}

// real and imag of what is not complex.
NumpyTensor* PartOfReal(TraceContext& trace, const ElementwiseRow& row, NumpyTensor* tensor) {
  const DType dtype = tensor->node->dtype;
  if (row.op == Op::kReal) return CopyIn(trace, tensor, dtype);
  const Shape shape = ShapeOf(tensor);
  const Node* zeros = trace.graph().Full(dtype, trace.graph().scalars().Int(0), shape.ids);
  return MakeNative(NewTensor(trace, zeros, shape, COrder(std::in_place), false));
}

// What follows is made of a function's node as StandardLoop makes it of NumPy's results.

// Where an operand is infinite, the quotient rounded down.
const Node* StandardFloorDivide(Graph& graph, const Node* floored) {
  const Node* a = floored->operands[0];
  const Node* b = floored->operands[1];
  const Node* infinite =
      graph.Binary(Op::kLogicalOr, graph.Unary(Op::kIsInf, a), graph.Unary(Op::kIsInf, b));
  const Node* quotient = graph.Unary(Op::kFloor, graph.Binary(Op::kDivide, a, b));
  return graph.Where(infinite, quotient, floored);
}

const Node* StandardExpm1(Graph& graph, const Node* result) {
  const Number one(graph.scalars().Float(1), graph.scalars().Float(0));
  const Node* ones = graph.Full(result->dtype, one, result->shape);
  const Node* by_exp =
      graph.Binary(Op::kSubtract, graph.Unary(Op::kExp, result->operands[0]), ones);
  return graph.Where(graph.Unary(Op::kIsFinite, result), result, by_exp);
}

// `other` where the argument's part is infinite and the sign of the result's part that is 0 is not
// the one of the argument's.
const Node* WithSignOf(Graph& graph, const Node* result, Op infinite, Op zero, const Node* other) {
  const Node* x = result->operands[0];
  const auto sign = [&](const Node* node) {
    return graph.Unary(Op::kSignBit, graph.Unary(zero, node));
  };
  const Node* at_infinity = graph.Unary(Op::kIsInf, graph.Unary(infinite, x));
  const Node* other_sign = graph.Binary(Op::kNotEqual, sign(result), sign(x));
  return graph.Where(graph.Binary(Op::kLogicalAnd, at_infinity, other_sign), other, result);
}

const Node* StandardTanh(Graph& graph, const Node* result) {
  const Node* conjugate = graph.Unary(Op::kConjugate, result);
  return WithSignOf(graph, result, Op::kReal, Op::kImag, conjugate);
}

const Node* StandardTan(Graph& graph, const Node* result) {
  const Node* mirrored = graph.Unary(Op::kNegative, graph.Unary(Op::kConjugate, result));
  return WithSignOf(graph, result, Op::kImag, Op::kReal, mirrored);
}

// Of a loop that TakesRoots: the powers of -0.0 and -inf, whichever the loop took.
const Node* StandardPower(Graph& graph, const Node* power) {
  ScalarProgram& scalars = graph.scalars();
  const auto full = [&](ScalarId number) { return graph.Full(power->dtype, number, power->shape); };
  const Node* x = power->operands[0];
  const Node* zero = full(scalars.Float(0));
  const Node* infinity = full(scalars.Float(std::numeric_limits<double>::infinity()));
  const Node* is_root = graph.Binary(Op::kEqual, power->operands[1], full(scalars.Float(0.5)));
  const Node* at_infinity = graph.Binary(Op::kEqual, x, graph.Unary(Op::kNegative, infinity));
  const Node* root = graph.Binary(Op::kAdd, graph.Where(at_infinity, infinity, power), zero);
  return graph.Where(is_root, root, power);
}

void FollowStandard(Graph& graph, NumpyTensor* result) {
  const Op op = result->node->op;
  const DType dtype = result->node->dtype;
  if (op == Op::kPower && TakesRoots(dtype)) {
    result->node = StandardPower(graph, result->node);
  }
  if (op == Op::kFloorDivide && IsFloat(dtype)) {
    result->node = StandardFloorDivide(graph, result->node);
  }
  if (!IsComplex(dtype)) return;
  if (op == Op::kExpm1) result->node = StandardExpm1(graph, result->node);
  if (op == Op::kTanh) result->node = StandardTanh(graph, result->node);
  if (op == Op::kTan) result->node = StandardTan(graph, result->node);
}

// From the number of float32 after x, where x and y are of bfloat16: between two neighbours of
// bfloat16 are 65536 equal steps of float32. Infinities and zeros have neighbours of their own.
const Node* NextOfBFloat16(Graph& graph, const Node* next) {
  constexpr double kStepsBetween = 65536;
  constexpr double kLargest = 0x1.fep127;
  const auto full = [&](double number) {
    return graph.Full(next->dtype, graph.scalars().Float(number), next->shape);
  };
  const Node *x = next->operands[0], *y = next->operands[1];
  const Node* step = graph.Binary(Op::kSubtract, next, x);
  const Node* moved =
      graph.Binary(Op::kAdd, x, graph.Binary(Op::kMultiply, step, full(kStepsBetween)));
  const Node* is_zero = graph.Binary(Op::kEqual, x, full(0));
  const Node* with_sign = graph.Where(is_zero, moved, graph.Binary(Op::kCopysign, moved, x));
  const Node* leaves_infinity =
      graph.Binary(Op::kLogicalAnd, graph.Unary(Op::kIsInf, x), graph.Unary(Op::kIsFinite, next));
  const Node* largest = graph.Binary(Op::kCopysign, full(kLargest), x);
  const Node* after = graph.Where(leaves_infinity, largest, with_sign);
  // A NaN keeps its sign.
  const Node* number = graph.Where(graph.Unary(Op::kIsNan, next), next, after);
  return graph.Where(graph.Binary(Op::kEqual, x, y), y, number);
}

// On low-precision floats: see low_precision.h.
absl::StatusOr<NumpyTensor*> InFloat32(TraceContext& trace, const ElementwiseRow& row, DType narrow,
                                       std::vector<Operand>& operands) {
  if (row.op == Op::kNextafter && narrow != DType::kBFloat16) {
    return GraphBreak("nextafter of float8");
  }
  Graph& graph = trace.graph();
  for (Operand& operand : operands) {
    if (operand.tensor != nullptr && operand.tensor->is_native) continue;
    const Node* number = NodeOf(trace, operand, narrow);
    Value* const wide = NewTensor(trace, graph.Cast(DType::kFloat32, number), Shape(),
                                  COrder(std::in_place), /*scalar_if_rank_0=*/false);
    DYNACC_ASSIGN_OR_RETURN(operand, MakeOperand(trace, wide));
  }
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result,
                          ElementwiseIn(trace, row.op, DType::kFloat32, operands));
  FollowStandard(graph, result);
  if (row.op == Op::kNextafter) result->node = NextOfBFloat16(graph, result->node);
  if (result->node->dtype == DType::kFloat32) {
    result->node = graph.Cast(narrow, result->node);
  }
  return MakeNative(result);
}

// What is made of numbers alone is in host memory: eager functions do not take it together with
// what comes of a device's tensors.
absl::Status RequireOnePlace(TraceContext& trace, absl::Span<Value* const> operands) {
  const auto on_device = [](TensorValue* existing) { return AsNumpy(existing)->device != 0; };
  if (absl::c_none_of(trace.existing_arrays(), on_device)) return absl::OkStatus();
  const std::vector<bool> depends = DependOnInputs(trace.graph());
  bool of_inputs = false, of_numbers = false;
  for (Value* operand : operands) {
    const NumpyTensor* const tensor = AsNative(operand);
    if (tensor != nullptr) (depends[tensor->node->id] ? of_inputs : of_numbers) = true;
  }
  return of_inputs && of_numbers ? RaisingBreak("tensors on two devices") : absl::OkStatus();
}

Value* Constant(TraceContext& trace, BorrowedRef object) {
  return trace.New<ConstantValue>(Ref::New(object));
}

}  // namespace

NumpyTensor* AsNative(Value* value) {
  auto* tensor = As<TensorValue>(value);
  return tensor != nullptr && tensor->is_native ? AsNumpy(tensor) : nullptr;
}

std::optional<NumberKind> KindOfScalar(Value* value) {
  TensorValue* scalar = ScalarOfNumber(value);
  if (scalar == nullptr) scalar = As<TensorValue>(value);
  if (scalar == nullptr || !scalar->is_scalar) return std::nullopt;
  if (scalar->node->dtype == DType::kFloat64) return NumberKind::kFloat;
  if (scalar->node->dtype == DType::kComplex128) return NumberKind::kComplex;
  return std::nullopt;
}

NumpyTensor* MakeNative(NumpyTensor* fresh) {
  fresh->is_native = true;
  fresh->is_scalar = false;
  return fresh;
}

NumpyTensor* CopyIn(TraceContext& trace, NumpyTensor* tensor, DType dtype) {
  Graph& graph = trace.graph();
  const Node* node = graph.Copied(Op::kCOrder, graph.Cast(dtype, tensor->node));
  return MakeNative(NewTensor(trace, node, ShapeOf(tensor), COrder(std::in_place), false));
}

void LearnNativeFunctions(BorrowedRef module) {
#define DYNACC_NATIVE_FUNCTION(name, handler, arguments) \
  Learn(module, name, {handler, arguments, nullptr});
#include "frontend/tensor/native_functions.def"
#undef DYNACC_NATIVE_FUNCTION
  for (const ElementwiseRow& row : ElementwiseRows()) {
    Learn(module, row.name, {nullptr, row.arity, &row});
  }
}

bool IsNativeFunction(BorrowedRef callable) { return Functions().contains(callable); }

absl::StatusOr<Value*> CallNativeFunction(TraceContext& trace, BorrowedRef callable,
                                          absl::Span<Value* const> arguments) {
  const NativeFunction& function = Functions().at(callable);
  if (function.arguments >= 0 && arguments.size() != static_cast<size_t>(function.arguments)) {
    return RaisingBreak("another number of arguments");
  }
  if (function.row == nullptr) return function.handler(trace, arguments);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, TraceElementwise(trace, *function.row, arguments));
  return result;
}

absl::StatusOr<NumpyTensor*> TraceElementwise(TraceContext& trace, const ElementwiseRow& row,
                                              absl::Span<Value* const> arguments) {
  DYNACC_ASSIGN_OR_RETURN(const DType promoted, PromotedDType(arguments));
  const DType dtype = ComputeDType(row, promoted);
  if (row.rule == InputRule::kReal && IsComplex(dtype)) {
    return RaisingBreak("a function that complex numbers do not have");
  }
  if (row.rule == InputRule::kWhole && !IsInexact(dtype)) {
    return CopyIn(trace, AsNative(arguments[0]), dtype);
  }
  if (row.rule == InputRule::kPart && !IsComplex(dtype)) {
    return PartOfReal(trace, row, AsNative(arguments[0]));
  }
  DYNACC_RETURN_IF_ERROR(RequireOnePlace(trace, arguments));
  DYNACC_ASSIGN_OR_RETURN(auto operands, OperandsIn(trace, dtype, arguments));
  if (IsLowPrecision(dtype)) return InFloat32(trace, row, dtype, operands);
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, ElementwiseIn(trace, row.op, dtype, operands));
  FollowStandard(trace.graph(), result);
  return MakeNative(result);
}

absl::StatusOr<Value*> TraceTensorWhere(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_RETURN_IF_ERROR(RequireOnePlace(trace, args));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * condition, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, PromotedDType(args.subspan(1)));
  DYNACC_ASSIGN_OR_RETURN(auto operands, OperandsIn(trace, dtype, args.subspan(1)));
  DYNACC_ASSIGN_OR_RETURN(Operand first, MakeOperand(trace, condition));
  operands.insert(operands.begin(), std::move(first));
  DYNACC_ASSIGN_OR_RETURN(const Prepared prepared,
                          PrepareIn(trace, {DType::kBool, dtype, dtype, dtype}, operands));
  const Node* node = trace.graph().Where(prepared.nodes[0], prepared.nodes[1], prepared.nodes[2]);
  return MakeNative(NewTensor(trace, node, prepared.shape, prepared.c_order, false));
}

absl::StatusOr<Value*> TraceResultType(TraceContext& trace, absl::Span<Value* const> args) {
  std::optional<DType> promoted;
  std::optional<NumberKind> number;
  for (Value* value : args) {
    auto* constant = As<ConstantValue>(value);
    std::optional<DType> dtype =
        constant == nullptr ? std::nullopt : AsDType(constant->object.get());
    if (const NumpyTensor* tensor = AsNative(value)) dtype = tensor->node->dtype;
    if (dtype) {
      promoted = promoted ? Promote(*promoted, *dtype) : *dtype;
      continue;
    }
    DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(value));
    number = number ? std::max(*number, kind) : kind;
  }
  if (promoted && number) promoted = PromoteNumber(*promoted, *number);
  if (!promoted && number) promoted = DefaultDType(*number);
  if (!promoted) return RaisingBreak("a dtype of nothing");
  return Constant(trace, DTypeObject(*promoted));
}

namespace {

// Whether both are tensors of `dtype`, rows (or one, a vector) and a matrix (or a stack of them).
bool AreRowsAndMatrix(Value* a, Value* b, DType dtype) {
  const auto is_tensor = [dtype](Value* value, int least_rank) {
    const NumpyTensor* const tensor = AsNative(value);
    return tensor != nullptr && tensor->node->dtype == dtype && tensor->node->rank() >= least_rank;
  };
  return is_tensor(a, 1) && is_tensor(b, 2);
}

}  // namespace

absl::StatusOr<NumpyTensor*> TraceNativeProduct(TraceContext& trace, NumpyTensor* a,
                                                NumpyTensor* b) {
  const DType promoted = Promote(a->node->dtype, b->node->dtype);
  const int64_t narrow = AreRowsAndMatrix(a, b, DType::kBFloat16) ? kMatmulLowPrecision : 0;
  for (NumpyTensor** factor : {&a, &b}) {
    if (!IsLowPrecision((*factor)->node->dtype)) continue;
    *factor = CopyIn(trace, *factor, DType::kFloat32);
  }
  // The bits of a product of tensors are nobody else's.
  const int64_t free = AreRowsAndMatrix(a, b, DType::kFloat32) ? kMatmulAnyOrder | narrow : 0;
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * product, NumpyMatmul(trace, a, b, free));
  return MakeNative(IsLowPrecision(promoted) ? CopyIn(trace, product, promoted) : product);
}

absl::StatusOr<Value*> TraceProduct(TraceContext& trace, absl::Span<Value* const> args) {
  Value *const a = args[0], *const b = args[1];
  const bool is_free =
      AreRowsAndMatrix(a, b, DType::kFloat32) || AreRowsAndMatrix(a, b, DType::kBFloat16);
  if (!is_free) return Constant(trace, Py_None);
  DYNACC_RETURN_IF_ERROR(RequireOnePlace(trace, args));
  return TraceNativeProduct(trace, AsNative(a), AsNative(b));
}

// As eager code with copies of the windows, which the product may do without.
absl::StatusOr<Value*> TraceConvolve(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * images, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(trace, args[2]));
  DYNACC_ASSIGN_OR_RETURN(const Shape strides, ShapeFrom(trace, args[3]));
  DYNACC_ASSIGN_OR_RETURN(const Shape dilations, ShapeFrom(trace, args[4]));
  const int rank = strides.rank();
  if (shape.rank() > kMaxRank) return GraphBreak("an array of a high rank");
  const std::vector<int64_t> axes = WindowAxes(rank);
  std::vector<ScalarId> steps(shape.rank(), trace.graph().scalars().Int(1));
  absl::c_copy(strides.ids, steps.begin() + 1);
  absl::c_copy(dilations.ids, steps.begin() + 1 + rank);
  const std::vector<ScalarId> starts(rank + 2, trace.graph().scalars().Int(0));
  const Node* const windows = trace.graph().View(images->node, shape.ids, axes, starts, steps);
  // Each place's filter and channels in one row.
  Shape rows;
  for (int axis = 0; axis <= rank; ++axis) rows.push_back(shape.at(axis));
  Size row = ConstantSize(trace, 1);
  for (int axis = rank + 1; axis < shape.rank(); ++axis) {
    row = Apply(trace, ScalarOp::kMul, row, shape.at(axis));
  }
  rows.push_back(row);
  const Node* const matrices = trace.graph().Reshape(windows, rows.ids);
  const int64_t free =
      images->node->dtype == DType::kFloat32 ? kMatmulAnyOrder | kMatmulWindows : 0;
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * filters, TensorFrom(args[1]));
  Shape sizes;
  sizes.push_back(row);
  sizes.push_back(SizeOf(filters, filters->node->rank() - 1));
  const Node* const matrix = trace.graph().Reshape(filters->node, sizes.ids);
  DYNACC_ASSIGN_OR_RETURN(
      NumpyTensor * product,
      NumpyMatmul(trace, NewTensor(trace, matrices, rows, COrder(std::in_place)),
                  NewTensor(trace, matrix, sizes, COrder(std::in_place)), free));
  return MakeNative(product);
}

absl::StatusOr<Value*> TraceCast(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * tensor, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[1]));
  return CopyIn(trace, tensor, dtype);
}

absl::StatusOr<Value*> TracePermute(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * tensor, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const auto axes, AxesFrom(trace, args[1], tensor->node->rank()));
  if (static_cast<int>(axes.size()) != tensor->node->rank()) {
    return RaisingBreak("a permutation of other axes");
  }
  return MakeNative(TransposedView(trace, tensor, axes));
}

absl::StatusOr<Value*> TraceTensorReshape(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * tensor, TensorFrom(args[0]));
  auto* copy = As<ConstantValue>(args[2]);
  if (copy == nullptr || copy->object.get() != Py_None) return GraphBreak("reshape with copy=");
  DYNACC_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(trace, args[1]));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, ReshapedArray(trace, tensor, std::move(shape)));
  return MakeNative(view);
}

absl::StatusOr<Value*> TraceTensorFull(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(trace, args[0]));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (IsLess(trace, shape.at(axis), ConstantSize(trace, 0))) {
      return RaisingBreak("a negative size");
    }
  }
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[1]));
  DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(args[2]));
  const bool converts = kind > NumberKind::kInt && !IsInexact(dtype);
  if (converts || (kind == NumberKind::kComplex && !IsComplex(dtype))) {
    return GraphBreak("a tensor filled with a number of another kind");
  }
  DYNACC_ASSIGN_OR_RETURN(const Operand fill, NumberIn(trace, args[2], dtype));
  if (fill.tensor != nullptr) return GraphBreak("a tensor filled with a number of arrays");
  const Node* node = trace.graph().Full(dtype, fill.scalar, shape.ids);
  return MakeNative(NewTensor(trace, node, shape, COrder(std::in_place), false));
}

absl::StatusOr<Value*> TraceTensorEmpty(TraceContext& trace, absl::Span<Value* const> args) {
  Value* zero = trace.New<ConstantValue>(Ref::Steal(PyLong_FromLong(0)));
  Value* const filled[] = {args[0], args[1], zero};
  return TraceTensorFull(trace, filled);
}

// Another array over the same memory.
absl::StatusOr<Value*> TraceToNumpy(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * tensor, TensorFrom(args[0]));
  if (Info(tensor->node->dtype).numpy == 0) return RaisingBreak("an array of what NumPy lacks");
  return NewViewTensor(trace, tensor, tensor->node, ShapeOf(tensor), tensor->c_order);
}

// Where a segment has tensors of a device, all that it takes is there, and what is made of that.
int TracedDevice(TraceContext& trace, const TensorValue* tensor) {
  int device = 0;
  for (TensorValue* existing : trace.existing_arrays()) {
    device = std::max(device, AsNumpy(existing)->device);
  }
  return device != 0 && DependOnInputs(trace.graph())[tensor->node->id] ? device : 0;
}

absl::StatusOr<Value*> TraceDeviceNumber(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * tensor, TensorFrom(args[0]));
  return trace.New<ConstantValue>(Ref::Steal(PyLong_FromLong(TracedDevice(trace, tensor))));
}

// On a device there are no arrays: a part of one that is made in the trace is a tensor's copy.
absl::StatusOr<Value*> TraceFromNumpy(TraceContext& trace, absl::Span<Value* const> args) {
  auto* array = As<TensorValue>(args[0]);
  if (array == nullptr || array->is_native) return GraphBreak("a tensor of what is no array");
  NumpyTensor* const numpy = AsNumpy(array);
  if (array->is_scalar) {
    return MakeNative(NewTensor(trace, array->node, Shape(), COrder(std::in_place), false));
  }
  if (array->view_of != nullptr && !array->root()->is_native && TracedDevice(trace, array) != 0) {
    return CopyIn(trace, numpy, array->node->dtype);
  }
  return MakeNative(NewViewTensor(trace, numpy, array->node, ShapeOf(array), numpy->c_order));
}

absl::StatusOr<Value*> TraceNumpyDType(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[0]));
  if (Info(dtype).numpy == 0) return RaisingBreak("a dtype that NumPy lacks");
  return Constant(trace, reinterpret_cast<PyObject*>(Descr(dtype)));
}

absl::StatusOr<Value*> TraceIsOfKind(TraceContext& trace, absl::Span<Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[0]));
  auto* letters = As<ConstantValue>(args[1]);
  const char* text = letters != nullptr && PyUnicode_CheckExact(letters->object.get())
                         ? PyUnicode_AsUTF8(letters->object.get())
                         : nullptr;
  if (text == nullptr) return GraphBreak("kinds that are not known");
  return Constant(trace, IsOfKind(dtype, text) ? Py_True : Py_False);
}

// Nothing is switched in a captured segment: it does not report what is traced in between. That
// holds only if both calls are in one segment. So what the first one gives is a value that no
// segment can leave behind, which makes a segment that would end in between end before; and a
// second one whose first was real is real, too.
absl::StatusOr<Value*> TraceErrorsOff(TraceContext& trace, absl::Span<Value* const>) {
  trace.SetQuiet(true);
  return trace.New<SuperValue>(nullptr, nullptr);
}

absl::StatusOr<Value*> TraceErrorsBack(TraceContext& trace, absl::Span<Value* const> args) {
  if (As<SuperValue>(args[0]) == nullptr) return GraphBreak("the end of with quiet()");
  trace.SetQuiet(false);
  return Constant(trace, Py_None);
}

}  // namespace dynacc
