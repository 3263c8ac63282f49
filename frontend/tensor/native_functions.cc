#include "frontend/tensor/native_functions.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
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

namespace dynacc::tensor {
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

absl::StatusOr<numpy::NumpyTensor*> TensorFrom(symbolic::Value* value) {
  if (numpy::NumpyTensor* tensor = AsNative(value)) return tensor;
  return symbolic::GraphBreak("a function of tensors with another argument");
}

absl::StatusOr<DType> NativeDTypeFrom(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  const std::optional<DType> dtype =
      constant == nullptr ? std::nullopt : AsDType(constant->object.get());
  if (!dtype) return symbolic::GraphBreak("a dtype that is not known");
  return *dtype;
}

absl::StatusOr<NumberKind> KindFrom(symbolic::Value* value) {
  if (const std::optional<NumberKind> kind = KindOfScalar(value)) return *kind;
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) {
    constexpr NumberKind kKinds[] = {NumberKind::kInt, NumberKind::kFloat, NumberKind::kBool};
    return kKinds[static_cast<int>(number->type)];
  }
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  const std::optional<NumberKind> kind =
      constant == nullptr ? std::nullopt : KindOfNumber(constant->object.get());
  if (!kind) return symbolic::GraphBreak("a tensor with an operand that is no number");
  return *kind;
}

// The number as an operand of an operation in `dtype`. An int that the dtype cannot hold raises.
absl::StatusOr<numpy::Operand> NumberIn(symbolic::TraceContext& trace, symbolic::Value* value,
                                        DType dtype) {
  DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(value));
  if (kind == NumberKind::kInt && IsInteger(dtype)) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t number, trace.ConstantInt(value));
    Ref object = Ref::Steal(PyLong_FromLongLong(number));
    alignas(Complex128) char element[kMaxItemSize];
    const bool fits = object && StoreNumber(object.get(), kind, dtype, element);
    PyErr_Clear();
    if (!fits) return symbolic::RaisingBreak("an int that the dtype cannot hold");
  }
  return numpy::MakeOperand(trace, value);
}

absl::StatusOr<std::vector<numpy::Operand>> OperandsIn(symbolic::TraceContext& trace, DType dtype,
                                                       absl::Span<symbolic::Value* const> values) {
  std::vector<numpy::Operand> operands;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(numpy::Operand operand, AsNative(value)
                                                        ? numpy::MakeOperand(trace, value)
                                                        : NumberIn(trace, value, dtype));
    operands.push_back(std::move(operand));
  }
  return operands;
}

// The promoted dtype of tensors and numbers, of which one is a tensor.
absl::StatusOr<DType> PromotedDType(absl::Span<symbolic::Value* const> values) {
  std::optional<DType> promoted;
  for (symbolic::Value* value : values) {
    const numpy::NumpyTensor* tensor = AsNative(value);
    if (tensor == nullptr) continue;
    promoted = promoted ? Promote(*promoted, tensor->node->dtype) : tensor->node->dtype;
  }
  if (!promoted) return symbolic::GraphBreak("a function of tensors without a tensor");
  for (symbolic::Value* value : values) {
    if (AsNative(value) != nullptr) continue;
    DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(value));
    promoted = PromoteNumber(*promoted, kind);
  }
  return *promoted;
}

// real and imag of what is not complex.
numpy::NumpyTensor* PartOfReal(symbolic::TraceContext& trace, const ElementwiseRow& row,
                               numpy::NumpyTensor* tensor) {
  const DType dtype = tensor->node->dtype;
  if (row.op == Op::kReal) return CopyIn(trace, tensor, dtype);
  const numpy::Shape shape = numpy::ShapeOf(tensor);
  const ir::Node* zeros = trace.graph().Full(dtype, trace.graph().scalars().Int(0), shape.ids);
  return MakeNative(numpy::NewTensor(trace, zeros, shape, numpy::COrder(std::in_place), false));
}

// What follows is made of a function's node as StandardLoop makes it of NumPy's results.

// Where an operand is infinite, the quotient rounded down.
const ir::Node* StandardFloorDivide(ir::Graph& graph, const ir::Node* floored) {
  const ir::Node* a = floored->operands[0];
  const ir::Node* b = floored->operands[1];
  const ir::Node* infinite =
      graph.Binary(Op::kLogicalOr, graph.Unary(Op::kIsInf, a), graph.Unary(Op::kIsInf, b));
  const ir::Node* quotient = graph.Unary(Op::kFloor, graph.Binary(Op::kDivide, a, b));
  return graph.Where(infinite, quotient, floored);
}

const ir::Node* StandardExpm1(ir::Graph& graph, const ir::Node* result) {
  const ir::Number one(graph.scalars().Float(1), graph.scalars().Float(0));
  const ir::Node* ones = graph.Full(result->dtype, one, result->shape);
  const ir::Node* by_exp =
      graph.Binary(Op::kSubtract, graph.Unary(Op::kExp, result->operands[0]), ones);
  return graph.Where(graph.Unary(Op::kIsFinite, result), result, by_exp);
}

// `other` where the argument's part is infinite and the sign of the result's part that is 0 is not
// the one of the argument's.
const ir::Node* WithSignOf(ir::Graph& graph, const ir::Node* result, Op infinite, Op zero,
                           const ir::Node* other) {
  const ir::Node* x = result->operands[0];
  const auto sign = [&](const ir::Node* node) {
    return graph.Unary(Op::kSignBit, graph.Unary(zero, node));
  };
  const ir::Node* at_infinity = graph.Unary(Op::kIsInf, graph.Unary(infinite, x));
  const ir::Node* other_sign = graph.Binary(Op::kNotEqual, sign(result), sign(x));
  return graph.Where(graph.Binary(Op::kLogicalAnd, at_infinity, other_sign), other, result);
}

const ir::Node* StandardTanh(ir::Graph& graph, const ir::Node* result) {
  const ir::Node* conjugate = graph.Unary(Op::kConjugate, result);
  return WithSignOf(graph, result, Op::kReal, Op::kImag, conjugate);
}

const ir::Node* StandardTan(ir::Graph& graph, const ir::Node* result) {
  const ir::Node* mirrored = graph.Unary(Op::kNegative, graph.Unary(Op::kConjugate, result));
  return WithSignOf(graph, result, Op::kImag, Op::kReal, mirrored);
}

// Of a loop that TakesRoots: the powers of -0.0 and -inf, whichever the loop took.
const ir::Node* StandardPower(ir::Graph& graph, const ir::Node* power) {
  ScalarProgram& scalars = graph.scalars();
  const auto full = [&](ScalarId number) { return graph.Full(power->dtype, number, power->shape); };
  const ir::Node* x = power->operands[0];
  const ir::Node* zero = full(scalars.Float(0));
  const ir::Node* infinity = full(scalars.Float(std::numeric_limits<double>::infinity()));
  const ir::Node* is_root = graph.Binary(Op::kEqual, power->operands[1], full(scalars.Float(0.5)));
  const ir::Node* at_infinity = graph.Binary(Op::kEqual, x, graph.Unary(Op::kNegative, infinity));
  const ir::Node* root = graph.Binary(Op::kAdd, graph.Where(at_infinity, infinity, power), zero);
  return graph.Where(is_root, root, power);
}

void FollowStandard(ir::Graph& graph, numpy::NumpyTensor* result) {
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
const ir::Node* NextOfBFloat16(ir::Graph& graph, const ir::Node* next) {
  constexpr double kStepsBetween = 65536;
  constexpr double kLargest = 0x1.fep127;
  const auto full = [&](double number) {
    return graph.Full(next->dtype, graph.scalars().Float(number), next->shape);
  };
  const ir::Node *x = next->operands[0], *y = next->operands[1];
  const ir::Node* step = graph.Binary(Op::kSubtract, next, x);
  const ir::Node* moved =
      graph.Binary(Op::kAdd, x, graph.Binary(Op::kMultiply, step, full(kStepsBetween)));
  const ir::Node* is_zero = graph.Binary(Op::kEqual, x, full(0));
  const ir::Node* with_sign = graph.Where(is_zero, moved, graph.Binary(Op::kCopysign, moved, x));
  const ir::Node* leaves_infinity =
      graph.Binary(Op::kLogicalAnd, graph.Unary(Op::kIsInf, x), graph.Unary(Op::kIsFinite, next));
  const ir::Node* largest = graph.Binary(Op::kCopysign, full(kLargest), x);
  const ir::Node* after = graph.Where(leaves_infinity, largest, with_sign);
  // A NaN keeps its sign.
  const ir::Node* number = graph.Where(graph.Unary(Op::kIsNan, next), next, after);
  return graph.Where(graph.Binary(Op::kEqual, x, y), y, number);
}

// On low-precision floats: see low_precision.h.
absl::StatusOr<numpy::NumpyTensor*> InFloat32(symbolic::TraceContext& trace,
                                              const ElementwiseRow& row, DType narrow,
                                              std::vector<numpy::Operand>& operands) {
  if (row.op == Op::kNextafter && narrow != DType::kBFloat16) {
    return symbolic::GraphBreak("nextafter of float8");
  }
  ir::Graph& graph = trace.graph();
  for (numpy::Operand& operand : operands) {
    if (operand.tensor != nullptr && operand.tensor->is_native) continue;
    const ir::Node* number = numpy::NodeOf(trace, operand, narrow);
    symbolic::Value* const wide =
        numpy::NewTensor(trace, graph.Cast(DType::kFloat32, number), numpy::Shape(),
                         numpy::COrder(std::in_place), /*scalar_if_rank_0=*/false);
    DYNACC_ASSIGN_OR_RETURN(operand, numpy::MakeOperand(trace, wide));
  }
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * result,
                          numpy::ElementwiseIn(trace, row.op, DType::kFloat32, operands));
  FollowStandard(graph, result);
  if (row.op == Op::kNextafter) result->node = NextOfBFloat16(graph, result->node);
  if (result->node->dtype == DType::kFloat32) {
    result->node = graph.Cast(narrow, result->node);
  }
  return MakeNative(result);
}

// What is made of numbers alone is in host memory: eager functions do not take it together with
// what comes of a device's tensors.
absl::Status RequireOnePlace(symbolic::TraceContext& trace,
                             absl::Span<symbolic::Value* const> operands) {
  const auto on_device = [](symbolic::TensorValue* existing) {
    return numpy::AsNumpy(existing)->device != 0;
  };
  if (absl::c_none_of(trace.existing_arrays(), on_device)) return absl::OkStatus();
  const std::vector<bool> depends = ir::DependOnInputs(trace.graph());
  bool of_inputs = false, of_numbers = false;
  for (symbolic::Value* operand : operands) {
    const numpy::NumpyTensor* const tensor = AsNative(operand);
    if (tensor != nullptr) (depends[tensor->node->id] ? of_inputs : of_numbers) = true;
  }
  return of_inputs && of_numbers ? symbolic::RaisingBreak("tensors on two devices")
                                 : absl::OkStatus();
}

symbolic::Value* Constant(symbolic::TraceContext& trace, BorrowedRef object) {
  return trace.New<symbolic::ConstantValue>(Ref::New(object));
}

}  // namespace

numpy::NumpyTensor* AsNative(symbolic::Value* value) {
  auto* tensor = symbolic::As<symbolic::TensorValue>(value);
  return tensor != nullptr && tensor->is_native ? numpy::AsNumpy(tensor) : nullptr;
}

std::optional<NumberKind> KindOfScalar(symbolic::Value* value) {
  symbolic::TensorValue* scalar = numpy::ScalarOfNumber(value);
  if (scalar == nullptr) scalar = symbolic::As<symbolic::TensorValue>(value);
  if (scalar == nullptr || !scalar->is_scalar) return std::nullopt;
  if (scalar->node->dtype == DType::kFloat64) return NumberKind::kFloat;
  if (scalar->node->dtype == DType::kComplex128) return NumberKind::kComplex;
  return std::nullopt;
}

numpy::NumpyTensor* MakeNative(numpy::NumpyTensor* fresh) {
  fresh->is_native = true;
  fresh->is_scalar = false;
  return fresh;
}

numpy::NumpyTensor* CopyIn(symbolic::TraceContext& trace, numpy::NumpyTensor* tensor, DType dtype) {
  ir::Graph& graph = trace.graph();
  const ir::Node* node = graph.Copied(Op::kCOrder, graph.Cast(dtype, tensor->node));
  return MakeNative(
      numpy::NewTensor(trace, node, numpy::ShapeOf(tensor), numpy::COrder(std::in_place), false));
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

absl::StatusOr<symbolic::Value*> CallNativeFunction(symbolic::TraceContext& trace,
                                                    BorrowedRef callable,
                                                    absl::Span<symbolic::Value* const> arguments) {
  const NativeFunction& function = Functions().at(callable);
  if (function.arguments >= 0 && arguments.size() != static_cast<size_t>(function.arguments)) {
    return symbolic::RaisingBreak("another number of arguments");
  }
  if (function.row == nullptr) return function.handler(trace, arguments);
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * result,
                          TraceElementwise(trace, *function.row, arguments));
  return result;
}

absl::StatusOr<numpy::NumpyTensor*> TraceElementwise(symbolic::TraceContext& trace,
                                                     const ElementwiseRow& row,
                                                     absl::Span<symbolic::Value* const> arguments) {
  DYNACC_ASSIGN_OR_RETURN(const DType promoted, PromotedDType(arguments));
  const DType dtype = ComputeDType(row, promoted);
  if (row.rule == InputRule::kReal && IsComplex(dtype)) {
    return symbolic::RaisingBreak("a function that complex numbers do not have");
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
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * result,
                          numpy::ElementwiseIn(trace, row.op, dtype, operands));
  FollowStandard(trace.graph(), result);
  return MakeNative(result);
}

absl::StatusOr<symbolic::Value*> TraceTensorWhere(symbolic::TraceContext& trace,
                                                  absl::Span<symbolic::Value* const> args) {
  DYNACC_RETURN_IF_ERROR(RequireOnePlace(trace, args));
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * condition, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, PromotedDType(args.subspan(1)));
  DYNACC_ASSIGN_OR_RETURN(auto operands, OperandsIn(trace, dtype, args.subspan(1)));
  DYNACC_ASSIGN_OR_RETURN(numpy::Operand first, numpy::MakeOperand(trace, condition));
  operands.insert(operands.begin(), std::move(first));
  DYNACC_ASSIGN_OR_RETURN(const numpy::Prepared prepared,
                          numpy::PrepareIn(trace, {DType::kBool, dtype, dtype, dtype}, operands));
  const ir::Node* node =
      trace.graph().Where(prepared.nodes[0], prepared.nodes[1], prepared.nodes[2]);
  return MakeNative(numpy::NewTensor(trace, node, prepared.shape, prepared.c_order, false));
}

absl::StatusOr<symbolic::Value*> TraceResultType(symbolic::TraceContext& trace,
                                                 absl::Span<symbolic::Value* const> args) {
  std::optional<DType> promoted;
  std::optional<NumberKind> number;
  for (symbolic::Value* value : args) {
    auto* constant = symbolic::As<symbolic::ConstantValue>(value);
    std::optional<DType> dtype =
        constant == nullptr ? std::nullopt : AsDType(constant->object.get());
    if (const numpy::NumpyTensor* tensor = AsNative(value)) dtype = tensor->node->dtype;
    if (dtype) {
      promoted = promoted ? Promote(*promoted, *dtype) : *dtype;
      continue;
    }
    DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(value));
    number = number ? std::max(*number, kind) : kind;
  }
  if (promoted && number) promoted = PromoteNumber(*promoted, *number);
  if (!promoted && number) promoted = DefaultDType(*number);
  if (!promoted) return symbolic::RaisingBreak("a dtype of nothing");
  return Constant(trace, DTypeObject(*promoted));
}

namespace {

// Whether both are tensors of `dtype`, rows (or one, a vector) and a matrix (or a stack of them).
bool AreRowsAndMatrix(symbolic::Value* a, symbolic::Value* b, DType dtype) {
  const auto is_tensor = [dtype](symbolic::Value* value, int least_rank) {
    const numpy::NumpyTensor* const tensor = AsNative(value);
    return tensor != nullptr && tensor->node->dtype == dtype && tensor->node->rank() >= least_rank;
  };
  return is_tensor(a, 1) && is_tensor(b, 2);
}

}  // namespace

absl::StatusOr<numpy::NumpyTensor*> TraceNativeProduct(symbolic::TraceContext& trace,
                                                       numpy::NumpyTensor* a,
                                                       numpy::NumpyTensor* b) {
  const DType promoted = Promote(a->node->dtype, b->node->dtype);
  const int64_t narrow = AreRowsAndMatrix(a, b, DType::kBFloat16) ? ir::kMatmulLowPrecision : 0;
  for (numpy::NumpyTensor** factor : {&a, &b}) {
    if (!IsLowPrecision((*factor)->node->dtype)) continue;
    *factor = CopyIn(trace, *factor, DType::kFloat32);
  }
  // The bits of a product of tensors are nobody else's.
  const int64_t free = AreRowsAndMatrix(a, b, DType::kFloat32) ? ir::kMatmulAnyOrder | narrow : 0;
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * product, numpy::NumpyMatmul(trace, a, b, free));
  return MakeNative(IsLowPrecision(promoted) ? CopyIn(trace, product, promoted) : product);
}

absl::StatusOr<symbolic::Value*> TraceProduct(symbolic::TraceContext& trace,
                                              absl::Span<symbolic::Value* const> args) {
  symbolic::Value *const a = args[0], *const b = args[1];
  const bool is_free =
      AreRowsAndMatrix(a, b, DType::kFloat32) || AreRowsAndMatrix(a, b, DType::kBFloat16);
  if (!is_free) return Constant(trace, Py_None);
  DYNACC_RETURN_IF_ERROR(RequireOnePlace(trace, args));
  return TraceNativeProduct(trace, AsNative(a), AsNative(b));
}

// As eager code with copies of the windows, which the product may do without.
absl::StatusOr<symbolic::Value*> TraceConvolve(symbolic::TraceContext& trace,
                                               absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * images, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const numpy::Shape shape, numpy::ShapeFrom(trace, args[2]));
  DYNACC_ASSIGN_OR_RETURN(const numpy::Shape strides, numpy::ShapeFrom(trace, args[3]));
  DYNACC_ASSIGN_OR_RETURN(const numpy::Shape dilations, numpy::ShapeFrom(trace, args[4]));
  const int rank = strides.rank();
  if (shape.rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  const std::vector<int64_t> axes = WindowAxes(rank);
  std::vector<ScalarId> steps(shape.rank(), trace.graph().scalars().Int(1));
  absl::c_copy(strides.ids, steps.begin() + 1);
  absl::c_copy(dilations.ids, steps.begin() + 1 + rank);
  const std::vector<ScalarId> starts(rank + 2, trace.graph().scalars().Int(0));
  const ir::Node* const windows = trace.graph().View(images->node, shape.ids, axes, starts, steps);
  // Each place's filter and channels in one row.
  numpy::Shape rows;
  for (int axis = 0; axis <= rank; ++axis) rows.push_back(shape.at(axis));
  numpy::Size row = numpy::ConstantSize(trace, 1);
  for (int axis = rank + 1; axis < shape.rank(); ++axis) {
    row = numpy::Apply(trace, ScalarOp::kMul, row, shape.at(axis));
  }
  rows.push_back(row);
  const ir::Node* const matrices = trace.graph().Reshape(windows, rows.ids);
  const int64_t free =
      images->node->dtype == DType::kFloat32 ? ir::kMatmulAnyOrder | ir::kMatmulWindows : 0;
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * filters, TensorFrom(args[1]));
  numpy::Shape sizes;
  sizes.push_back(row);
  sizes.push_back(numpy::SizeOf(filters, filters->node->rank() - 1));
  const ir::Node* const matrix = trace.graph().Reshape(filters->node, sizes.ids);
  DYNACC_ASSIGN_OR_RETURN(
      numpy::NumpyTensor * product,
      numpy::NumpyMatmul(
          trace, numpy::NewTensor(trace, matrices, rows, numpy::COrder(std::in_place)),
          numpy::NewTensor(trace, matrix, sizes, numpy::COrder(std::in_place)), free));
  return MakeNative(product);
}

absl::StatusOr<symbolic::Value*> TraceCast(symbolic::TraceContext& trace,
                                           absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * tensor, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[1]));
  return CopyIn(trace, tensor, dtype);
}

absl::StatusOr<symbolic::Value*> TracePermute(symbolic::TraceContext& trace,
                                              absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * tensor, TensorFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const auto axes, numpy::AxesFrom(trace, args[1], tensor->node->rank()));
  if (static_cast<int>(axes.size()) != tensor->node->rank()) {
    return symbolic::RaisingBreak("a permutation of other axes");
  }
  return MakeNative(numpy::TransposedView(trace, tensor, axes));
}

absl::StatusOr<symbolic::Value*> TraceTensorReshape(symbolic::TraceContext& trace,
                                                    absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * tensor, TensorFrom(args[0]));
  auto* copy = symbolic::As<symbolic::ConstantValue>(args[2]);
  if (copy == nullptr || copy->object.get() != Py_None)
    return symbolic::GraphBreak("reshape with copy=");
  DYNACC_ASSIGN_OR_RETURN(numpy::Shape shape, numpy::ShapeFrom(trace, args[1]));
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * view,
                          numpy::ReshapedArray(trace, tensor, std::move(shape)));
  return MakeNative(view);
}

absl::StatusOr<symbolic::Value*> TraceTensorFull(symbolic::TraceContext& trace,
                                                 absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(const numpy::Shape shape, numpy::ShapeFrom(trace, args[0]));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (numpy::IsLess(trace, shape.at(axis), numpy::ConstantSize(trace, 0))) {
      return symbolic::RaisingBreak("a negative size");
    }
  }
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[1]));
  DYNACC_ASSIGN_OR_RETURN(const NumberKind kind, KindFrom(args[2]));
  const bool converts = kind > NumberKind::kInt && !IsInexact(dtype);
  if (converts || (kind == NumberKind::kComplex && !IsComplex(dtype))) {
    return symbolic::GraphBreak("a tensor filled with a number of another kind");
  }
  DYNACC_ASSIGN_OR_RETURN(const numpy::Operand fill, NumberIn(trace, args[2], dtype));
  if (fill.tensor != nullptr)
    return symbolic::GraphBreak("a tensor filled with a number of arrays");
  const ir::Node* node = trace.graph().Full(dtype, fill.scalar, shape.ids);
  return MakeNative(numpy::NewTensor(trace, node, shape, numpy::COrder(std::in_place), false));
}

absl::StatusOr<symbolic::Value*> TraceTensorEmpty(symbolic::TraceContext& trace,
                                                  absl::Span<symbolic::Value* const> args) {
  symbolic::Value* zero = trace.New<symbolic::ConstantValue>(Ref::Steal(PyLong_FromLong(0)));
  symbolic::Value* const filled[] = {args[0], args[1], zero};
  return TraceTensorFull(trace, filled);
}

// Another array over the same memory.
absl::StatusOr<symbolic::Value*> TraceToNumpy(symbolic::TraceContext& trace,
                                              absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * tensor, TensorFrom(args[0]));
  if (Info(tensor->node->dtype).numpy == 0)
    return symbolic::RaisingBreak("an array of what NumPy lacks");
  return numpy::NewViewTensor(trace, tensor, tensor->node, numpy::ShapeOf(tensor), tensor->c_order);
}

// Where a segment has tensors of a device, all that it takes is there, and what is made of that.
int TracedDevice(symbolic::TraceContext& trace, const symbolic::TensorValue* tensor) {
  int device = 0;
  for (symbolic::TensorValue* existing : trace.existing_arrays()) {
    device = std::max(device, numpy::AsNumpy(existing)->device);
  }
  return device != 0 && ir::DependOnInputs(trace.graph())[tensor->node->id] ? device : 0;
}

absl::StatusOr<symbolic::Value*> TraceDeviceNumber(symbolic::TraceContext& trace,
                                                   absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * tensor, TensorFrom(args[0]));
  return trace.New<symbolic::ConstantValue>(
      Ref::Steal(PyLong_FromLong(TracedDevice(trace, tensor))));
}

// On a device there are no arrays: a part of one that is made in the trace is a tensor's copy.
absl::StatusOr<symbolic::Value*> TraceFromNumpy(symbolic::TraceContext& trace,
                                                absl::Span<symbolic::Value* const> args) {
  auto* array = symbolic::As<symbolic::TensorValue>(args[0]);
  if (array == nullptr || array->is_native)
    return symbolic::GraphBreak("a tensor of what is no array");
  numpy::NumpyTensor* const numpy = numpy::AsNumpy(array);
  if (array->is_scalar) {
    return MakeNative(
        numpy::NewTensor(trace, array->node, numpy::Shape(), numpy::COrder(std::in_place), false));
  }
  if (array->view_of != nullptr && !array->root()->is_native && TracedDevice(trace, array) != 0) {
    return CopyIn(trace, numpy, array->node->dtype);
  }
  return MakeNative(
      numpy::NewViewTensor(trace, numpy, array->node, numpy::ShapeOf(array), numpy->c_order));
}

absl::StatusOr<symbolic::Value*> TraceNumpyDType(symbolic::TraceContext& trace,
                                                 absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[0]));
  if (Info(dtype).numpy == 0) return symbolic::RaisingBreak("a dtype that NumPy lacks");
  return Constant(trace, reinterpret_cast<PyObject*>(numpy::Descr(dtype)));
}

absl::StatusOr<symbolic::Value*> TraceIsOfKind(symbolic::TraceContext& trace,
                                               absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, NativeDTypeFrom(args[0]));
  auto* letters = symbolic::As<symbolic::ConstantValue>(args[1]);
  const char* text = letters != nullptr && PyUnicode_CheckExact(letters->object.get())
                         ? PyUnicode_AsUTF8(letters->object.get())
                         : nullptr;
  if (text == nullptr) return symbolic::GraphBreak("kinds that are not known");
  return Constant(trace, IsOfKind(dtype, text) ? Py_True : Py_False);
}

// Numbers that are no arrays are constants as they are.
static absl::StatusOr<symbolic::Value*> TraceMarker(symbolic::TraceContext& trace, Op op,
                                                    absl::Span<symbolic::Value* const> args) {
  auto* const operand = symbolic::As<symbolic::TensorValue>(args[0]);
  if (operand == nullptr) return args[0];
  numpy::NumpyTensor* const tensor = numpy::AsNumpy(operand);
  if (IsLowPrecision(tensor->node->dtype)) {
    return symbolic::GraphBreak(absl::StrCat(Info(op).text, " of bfloat16"));
  }
  const ir::Node* const node = trace.graph().Unary(op, tensor->node);
  numpy::NumpyTensor* const result =
      numpy::NewTensor(trace, node, numpy::ShapeOf(tensor), tensor->c_order, tensor->is_scalar);
  return tensor->is_native ? MakeNative(result) : result;
}

#define DYNACC_MARKER(name)                                                               \
  absl::StatusOr<symbolic::Value*> Trace##name(symbolic::TraceContext& trace,             \
                                               absl::Span<symbolic::Value* const> args) { \
    return TraceMarker(trace, Op::k##name, args);                                         \
  }
DYNACC_MARKER(StopGradient)
DYNACC_MARKER(Checkpoint)
DYNACC_MARKER(EndCheckpoint)
DYNACC_MARKER(Cotangent)
#undef DYNACC_MARKER

absl::StatusOr<symbolic::Value*> TraceIsTraced(symbolic::TraceContext& trace,
                                               absl::Span<symbolic::Value* const>) {
  return Constant(trace, Py_True);
}

// `node` with the sizes of `like`, which are the same in every run, written as there.
static const ir::Node* WithShapeOf(ir::Graph& graph, const ir::Node* node, const ir::Node* like) {
  if (node->shape == like->shape) return node;
  std::vector<int64_t> axes(like->rank());
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<ScalarId> start(like->rank(), graph.scalars().Int(0));
  const std::vector<ScalarId> step(like->rank(), graph.scalars().Int(1));
  return graph.View(node, like->shape, axes, start, step);
}

// A value, its cotangent, a number of arguments, these, and as many gradients by them. Whatever is
// no array has no gradient; neither has an array by which it is None.
absl::StatusOr<symbolic::Value*> TraceCustomGradient(symbolic::TraceContext& trace,
                                                     absl::Span<symbolic::Value* const> args) {
  auto* const number = args.size() < 3 ? nullptr : symbolic::As<symbolic::ConstantValue>(args[2]);
  if (number == nullptr || !PyLong_CheckExact(number->object.get())) {
    return symbolic::GraphBreak("custom_gradient without a number of arguments");
  }
  const auto count = static_cast<size_t>(PyLong_AsUnsignedLongMask(number->object.get()));
  if (args.size() != 3 + 2 * count) {
    const auto given = static_cast<int64_t>(args.size()) - 3 - static_cast<int64_t>(count);
    return symbolic::GraphBreak(
        absl::StrCat("custom_gradient: ", given, " gradients for ", count, " arguments"));
  }
  auto* const operand = symbolic::As<symbolic::TensorValue>(args[0]);
  auto* const cotangent = symbolic::As<symbolic::TensorValue>(args[1]);
  if (operand == nullptr || cotangent == nullptr) {
    return symbolic::GraphBreak("the result of custom_gradient's function is not one array");
  }
  numpy::NumpyTensor* const value = numpy::AsNumpy(operand);
  ir::Graph& graph = trace.graph();
  std::vector<const ir::Node*> operands = {value->node, numpy::AsNumpy(cotangent)->node};
  for (size_t i = 3; i < 3 + count; ++i) {
    auto* const x = symbolic::As<symbolic::TensorValue>(args[i]);
    auto* const gradient = symbolic::As<symbolic::TensorValue>(args[i + count]);
    if (x == nullptr || !IsInexact(numpy::AsNumpy(x)->node->dtype)) continue;
    const ir::Node* const by = numpy::AsNumpy(x)->node;
    if (gradient == nullptr) {
      auto* const none = symbolic::As<symbolic::ConstantValue>(args[i + count]);
      if (none == nullptr || none->object.get() != Py_None) {
        return symbolic::GraphBreak("custom_gradient: a gradient is neither an array nor None");
      }
      const ScalarId zero = graph.scalars().Float(0);
      const ir::Number number(zero, IsComplex(by->dtype) ? zero : kNoScalar);
      operands.insert(operands.end(), {by, graph.Full(by->dtype, number, by->shape)});
      continue;
    }
    const ir::Node* given = numpy::AsNumpy(gradient)->node;
    const numpy::Shape shape = numpy::ShapeOf(x);
    const bool fits = numpy::IsSameShape(trace, numpy::ShapeOf(gradient), shape);
    if (!fits || (IsComplex(given->dtype) && !IsComplex(by->dtype))) {
      return symbolic::GraphBreak(absl::StrCat(
          "custom_gradient: the gradient ",
          ir::PrintType(graph.scalars(), given->dtype, given->shape), " does not fit its argument ",
          ir::PrintType(graph.scalars(), by->dtype, by->shape)));
    }
    given = WithShapeOf(graph, given, by);
    operands.push_back(by);
    operands.push_back(graph.Cast(by->dtype, given));
  }
  // Errors are about the user's function, which made the value.
  graph.SetLocation(value->node->location.file, value->node->location.line);
  const ir::Node* const node =
      graph.Make(Op::kCustomGradient, value->node->dtype, value->node->shape, operands, {});
  numpy::NumpyTensor* const result =
      numpy::NewTensor(trace, node, numpy::ShapeOf(value), value->c_order, value->is_scalar);
  return value->is_native ? MakeNative(result) : result;
}

// Nothing is switched in a captured segment: it does not report what is traced in between. That
// holds only if both calls are in one segment. So what the first one gives is a value that no
// segment can leave behind, which makes a segment that would end in between end before; and a
// second one whose first was real is real, too.
absl::StatusOr<symbolic::Value*> TraceErrorsOff(symbolic::TraceContext& trace,
                                                absl::Span<symbolic::Value* const>) {
  trace.SetQuiet(true);
  return trace.New<symbolic::SuperValue>(nullptr, nullptr);
}

absl::StatusOr<symbolic::Value*> TraceErrorsBack(symbolic::TraceContext& trace,
                                                 absl::Span<symbolic::Value* const> args) {
  if (symbolic::As<symbolic::SuperValue>(args[0]) == nullptr)
    return symbolic::GraphBreak("the end of with quiet()");
  trace.SetQuiet(false);
  return Constant(trace, Py_None);
}

absl::StatusOr<symbolic::Value*> TraceBeginDerivatives(symbolic::TraceContext& trace,
                                                       absl::Span<symbolic::Value* const>) {
  const Ref module = Ref::Steal(PyImport_ImportModule("dynacc._gradient_rules"));
  Ref rules = Ref::Steal(module ? PyObject_GetAttrString(module.get(), "RULES") : nullptr);
  if (!rules || !PyDict_Check(rules.get())) {
    PyErr_Clear();
    return symbolic::GraphBreak("derivatives without their rules");
  }
  trace.BeginDerivatives(std::move(rules));
  return Constant(trace, Py_None);
}

absl::StatusOr<symbolic::Value*> TraceEndDerivatives(symbolic::TraceContext& trace,
                                                     absl::Span<symbolic::Value* const>) {
  trace.EndDerivatives();
  return Constant(trace, Py_None);
}

}  // namespace dynacc::tensor
