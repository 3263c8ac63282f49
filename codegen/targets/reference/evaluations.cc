// One evaluation for each structural op, and one for each category of the others.
#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/int_operator_attrs.h"
#include "codegen/targets/reference/reference_tensor.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/element_steps.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/element_functions.h"
#include "runtime/ops/registered_ops.h"

namespace dynacc::reference {
namespace {

using absl::OkStatus;
using Index = std::vector<int64_t>;

absl::Status Undefined(const ir::Node& node, DType dtype) {
  return absl::InternalError(
      absl::StrCat("reference: ", Info(node.op).text, " is not defined on ", Info(dtype).text));
}

absl::Status EvaluateInput(const EvaluationContext& context, ReferenceTensor& result) {
  const StridedView& view = context.arguments.inputs[context.node.attrs.ints[0]];
  if (view.dtype != result.dtype || view.rank != context.node.rank() ||
      !std::equal(result.shape.begin(), result.shape.end(), view.shape)) {
    return absl::InternalError("reference: an input has another dtype or shape than its node");
  }
  Index index(result.shape.size());
  for (int64_t i = 0; i < result.size(); ++i, NextIndex(result.shape, absl::MakeSpan(index))) {
    const char* source = view.data;
    for (int d = 0; d < view.rank; ++d) source += index[d] * view.strides[d];
    std::memcpy(result.at(i), source, ItemSize(result.dtype));
  }
  return OkStatus();
}

// Writes a number of the scalar program as an element of `dtype`.
void WriteScalar(const EvaluationContext& context, ScalarId id, DType dtype, char* to) {
  static constexpr DType kByType[] = {DType::kInt64, DType::kFloat64, DType::kBool};
  const ScalarType type = context.graph.scalars().expr(id).type;
  const ScalarValue value = context.scalars[id];
  const bool flag = value.i != 0;
  const void* const number = type == ScalarType::kBool ? static_cast<const void*>(&flag)
                                                       : static_cast<const void*>(&value);
  FindCastFn(kByType[static_cast<int>(type)], dtype)(number, to);
}

absl::Status EvaluateNumber(const EvaluationContext& context, ReferenceTensor& result) {
  const ir::Number number = ir::NumberOf(context.node);
  const DType part = RealOf(result.dtype);
  for (int64_t i = 0; i < result.size(); ++i) {
    WriteScalar(context, number.real, result.dtype, result.at(i));
    if (number.is_complex()) {
      WriteScalar(context, number.imag, part, result.at(i) + ItemSize(part));
    }
  }
  return OkStatus();
}

// Where the view that the node's attributes describe looks with `index`, in an operand of `shape`.
absl::StatusOr<int64_t> ViewedPosition(const EvaluationContext& context,
                                       absl::Span<const int64_t> shape,
                                       absl::Span<const int64_t> index) {
  const ir::NodeAttrs& attrs = context.node.attrs;
  Index source(shape.size());
  for (size_t s = 0; s < shape.size(); ++s) source[s] = context.scalars[attrs.scalars[s]].i;
  for (size_t d = 0; d < index.size(); ++d) {
    if (attrs.ints[d] < 0) continue;
    source[attrs.ints[d]] += index[d] * context.scalars[attrs.scalars[shape.size() + d]].i;
  }
  for (size_t s = 0; s < shape.size(); ++s) {
    if (source[s] < 0 || source[s] >= shape[s]) {
      return absl::InternalError("reference: a view reads out of bounds");
    }
  }
  return PositionOf(shape, source);
}

absl::Status EvaluateView(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& operand = *context.operands[0];
  Index index(result.shape.size());
  for (int64_t i = 0; i < result.size(); ++i, NextIndex(result.shape, absl::MakeSpan(index))) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t position, ViewedPosition(context, operand.shape, index));
    std::memcpy(result.at(i), operand.at(position), ItemSize(result.dtype));
  }
  return OkStatus();
}

absl::Status EvaluateStore(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& base = *context.operands[0];
  const ReferenceTensor& value = *context.operands[1];
  std::memcpy(result.at(0), base.at(0), result.size() * ItemSize(result.dtype));
  Index index(value.shape.size());
  for (int64_t i = 0; i < value.size(); ++i, NextIndex(value.shape, absl::MakeSpan(index))) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t position, ViewedPosition(context, base.shape, index));
    std::memcpy(result.at(position), value.at(i), ItemSize(result.dtype));
  }
  return OkStatus();
}

absl::Status EvaluateRoll(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& operand = *context.operands[0];
  Index index(result.shape.size());
  for (int64_t i = 0; i < result.size(); ++i, NextIndex(result.shape, absl::MakeSpan(index))) {
    Index source = index;
    for (size_t d = 0; d < source.size(); ++d) {
      const int64_t shift = context.scalars[context.node.attrs.scalars[d]].i;
      if (shift < 0 || shift >= result.shape[d]) {
        return absl::InternalError("reference: a roll by as much as there is");
      }
      source[d] = (source[d] - shift + result.shape[d]) % result.shape[d];
    }
    std::memcpy(result.at(i), operand.at(PositionOf(result.shape, source)), ItemSize(result.dtype));
  }
  return OkStatus();
}

absl::Status EvaluateConcat(const EvaluationContext& context, ReferenceTensor& result) {
  const auto axis = static_cast<size_t>(context.node.attrs.ints[0]);
  int64_t offset = 0;
  for (const ReferenceTensor* part : context.operands) {
    Index index(part->shape.size());
    for (int64_t i = 0; i < part->size(); ++i, NextIndex(part->shape, absl::MakeSpan(index))) {
      Index to = index;
      to[axis] += offset;
      const int64_t position = PositionOf(result.shape, to);
      std::memcpy(result.at(position), part->at(i), ItemSize(result.dtype));
    }
    offset += part->shape[axis];
  }
  return OkStatus();
}

absl::Status EvaluateReshape(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& operand = *context.operands[0];
  if (operand.size() != result.size()) {
    return absl::InternalError("reference: a reshape changes the number of elements");
  }
  std::memcpy(result.at(0), operand.at(0), result.size() * ItemSize(result.dtype));
  return OkStatus();
}

absl::Status EvaluateCast(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& operand = *context.operands[0];
  const UnaryElementFn cast = FindCastFn(operand.dtype, result.dtype);
  for (int64_t i = 0; i < result.size(); ++i) cast(operand.at(i), result.at(i));
  return OkStatus();
}

absl::Status EvaluateWhere(const EvaluationContext& context, ReferenceTensor& result) {
  for (int64_t i = 0; i < result.size(); ++i) {
    const int chosen = *context.operands[0]->at(i) != 0 ? 1 : 2;
    std::memcpy(result.at(i), context.operands[chosen]->at(i), ItemSize(result.dtype));
  }
  return OkStatus();
}

// By the loop of a registered op, which has no function for one element.
absl::Status EvaluateByLoop(const EvaluationContext& context, ReferenceTensor& result) {
  const DType dtype = context.operands[0]->dtype;
  const kernel::LibraryLoop loop =
      kernel::FindLibraryLoop(static_cast<int>(context.node.op), dtype);
  if (!loop) return Undefined(context.node, dtype);
  std::vector<char*> pointers;
  std::vector<intptr_t> steps;
  for (ReferenceTensor* operand : context.operands) {
    pointers.push_back(operand->at(0));
    steps.push_back(ItemSize(dtype));
  }
  pointers.push_back(result.at(0));
  steps.push_back(ItemSize(result.dtype));
  const intptr_t n = result.size();
  loop.fn(pointers.data(), &n, steps.data(), loop.data);
  return OkStatus();
}

absl::Status EvaluateUnary(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& a = *context.operands[0];
  const UnaryElementFn function = FindUnaryElementFn(context.node.op, a.dtype);
  if (function == nullptr) return Undefined(context.node, a.dtype);
  for (int64_t i = 0; i < result.size(); ++i) function(a.at(i), result.at(i));
  return OkStatus();
}

absl::Status EvaluateBinary(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& a = *context.operands[0];
  const ReferenceTensor& b = *context.operands[1];
  const BinaryElementFn function = FindBinaryElementFn(context.node.op, a.dtype);
  if (function == nullptr) return Undefined(context.node, a.dtype);
  for (int64_t i = 0; i < result.size(); ++i) function(a.at(i), b.at(i), result.at(i));
  return OkStatus();
}

// How a reduction starts and goes on: `identity` is cast to the dtype; without one (max, min) the
// first element starts, and there must be one.
struct Reduction {
  Op op;
  Op step;
  std::optional<int64_t> identity;
};

constexpr Reduction kReductions[] = {
    {Op::kReduceSum, Op::kAdd, 0},       {Op::kReduceProd, Op::kMultiply, 1},
    {Op::kReduceMax, Op::kMaximum, {}},  {Op::kReduceMin, Op::kMinimum, {}},
    {Op::kReduceAny, Op::kLogicalOr, 0}, {Op::kReduceAll, Op::kLogicalAnd, 1},
};

const Reduction* FindReduction(Op op) {
  const auto row = absl::c_find_if(kReductions, [&](const Reduction& r) { return r.op == op; });
  return row == std::end(kReductions) ? nullptr : row;
}

// The operand's elements, as bools for any and all.
ReferenceTensor ReducedElements(const ReferenceTensor& operand, DType dtype) {
  ReferenceTensor elements = MakeTensor(dtype, operand.shape);
  const UnaryElementFn cast = FindCastFn(operand.dtype, dtype);
  for (int64_t i = 0; i < elements.size(); ++i) cast(operand.at(i), elements.at(i));
  return elements;
}

// `result` becomes the combination of the operand's elements along the axes, one after the other.
void Combine(const ReferenceTensor& operand, absl::Span<const int64_t> axes, BinaryElementFn step,
             std::optional<int64_t> identity, ReferenceTensor& result) {
  const int64_t first = identity.value_or(0);
  for (int64_t i = 0; i < result.size(); ++i) {
    FindCastFn(DType::kInt64, result.dtype)(&first, result.at(i));
  }
  std::vector<bool> started(result.size(), identity.has_value());
  Index index(operand.shape.size());
  for (int64_t i = 0; i < operand.size(); ++i, NextIndex(operand.shape, absl::MakeSpan(index))) {
    int64_t position = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      const bool reduced = absl::c_linear_search(axes, static_cast<int64_t>(d));
      if (!reduced) position = position * operand.shape[d] + index[d];
    }
    char* const sum = result.at(position);
    if (started[position]) {
      step(sum, operand.at(i), sum);
    } else {
      std::memcpy(sum, operand.at(i), ItemSize(result.dtype));
      started[position] = true;
    }
  }
}

absl::Status EvaluateReduction(const EvaluationContext& context, ReferenceTensor& result) {
  const Reduction& reduction = *FindReduction(context.node.op);
  const ReferenceTensor operand = ReducedElements(*context.operands[0], result.dtype);
  const BinaryElementFn step = FindBinaryElementFn(reduction.step, result.dtype);
  if (step == nullptr) return Undefined(context.node, result.dtype);
  if (!reduction.identity && operand.size() == 0 && result.size() != 0) {
    return absl::InternalError("reference: the extremum of nothing");
  }
  Combine(operand, context.node.attrs.ints, step, reduction.identity, result);
  return OkStatus();
}

// The position of element [batch..., row, column] of a matmul operand, whose batch axes broadcast
// and align at the end.
int64_t MatrixPosition(const ReferenceTensor& operand, absl::Span<const int64_t> batch, int64_t row,
                       int64_t column) {
  const size_t batch_rank = operand.shape.size() - 2;
  int64_t position = 0;
  for (size_t d = 0; d < batch_rank; ++d) {
    const int64_t index = batch[batch.size() - batch_rank + d];
    position = position * operand.shape[d] + (operand.shape[d] == 1 ? 0 : index);
  }
  return (position * operand.shape[batch_rank] + row) * operand.shape[batch_rank + 1] + column;
}

// Operands and result of matmul as stacks of matrices: vectors get the axis that NumPy gives them.
struct MatmulShapes {
  ReferenceTensor a, b;
  std::vector<int64_t> result;
};

MatmulShapes AsMatrices(const EvaluationContext& context, const ReferenceTensor& result) {
  MatmulShapes shapes{*context.operands[0], *context.operands[1], result.shape};
  if (shapes.a.shape.size() == 1) {
    const auto row = shapes.result.end() - (shapes.b.shape.size() == 1 ? 0 : 1);
    shapes.result.insert(row, 1);
    shapes.a.shape.insert(shapes.a.shape.begin(), 1);
  }
  if (shapes.b.shape.size() == 1) {
    shapes.result.push_back(1);
    shapes.b.shape.push_back(1);
  }
  return shapes;
}

absl::Status EvaluateMatmul(const EvaluationContext& context, ReferenceTensor& result) {
  const auto [a, b, shape] = AsMatrices(context, result);
  const int64_t inner = a.shape.back();
  if (inner != b.shape[b.shape.size() - 2]) {
    return absl::InternalError("reference: the inner sizes of a matmul differ");
  }
  const BinaryElementFn multiply = FindBinaryElementFn(Op::kMultiply, result.dtype);
  const BinaryElementFn add = FindBinaryElementFn(Op::kAdd, result.dtype);
  Index index(shape.size());
  for (int64_t i = 0; i < result.size(); ++i, NextIndex(shape, absl::MakeSpan(index))) {
    const absl::Span<const int64_t> batch(index.data(), index.size() - 2);
    const int64_t row = index[index.size() - 2];
    std::memset(result.at(i), 0, ItemSize(result.dtype));
    for (int64_t k = 0; k < inner; ++k) {
      alignas(kMaxItemSize) char product[kMaxItemSize];
      multiply(a.at(MatrixPosition(a, batch, row, k)),
               b.at(MatrixPosition(b, batch, k, index.back())), product);
      add(result.at(i), product, result.at(i));
    }
  }
  return OkStatus();
}

absl::Status EvaluateLibraryCall(const EvaluationContext& context, ReferenceTensor& result) {
  if (context.arguments.library_calls == nullptr) {
    return absl::InternalError("reference: a library call and no LibraryCaller");
  }
  std::vector<StridedView> inputs;
  for (ReferenceTensor* operand : context.operands) inputs.push_back(operand->View());
  executor::LibraryCallArguments arguments;
  arguments.library_call_id = context.node.attrs.call;
  arguments.inputs = inputs;
  arguments.dtype = result.dtype;
  const ScalarId defined = ir::DefinedBy(context.node);
  std::vector<int64_t> promised = result.shape;
  for (size_t axis = 0; axis < promised.size(); ++axis) {
    if (defined != kNoScalar && defined == context.node.shape[axis]) promised[axis] = -1;
  }
  arguments.shape = promised;
  arguments.has_free_orders = context.arguments.has_free_orders;
  DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<executor::LibraryCallResult> given,
                          context.arguments.library_calls->Call(arguments));
  if (defined != kNoScalar) {
    const StridedView& view = given->view;
    result = MakeTensor(result.dtype, {view.shape, view.shape + view.rank});
  }
  executor::CopyElements(given->view, result.View());
  return OkStatus();
}

absl::Status EvaluateScan(const EvaluationContext& context, ReferenceTensor& result) {
  const Op op = context.node.op == Op::kCumprod ? Op::kMultiply : Op::kAdd;
  return executor::ScanElements(op, context.operands[0]->View(),
                                static_cast<int>(context.node.attrs.ints[0]), result.View());
}

absl::Status EvaluateArgExtreme(const EvaluationContext& context, ReferenceTensor& result) {
  const Op op = context.node.op == Op::kArgMin ? Op::kLess : Op::kGreater;
  const absl::Span<const int64_t> axes = context.node.attrs.ints;
  return executor::FindExtremes(op, context.operands[0]->View(),
                                std::vector<int>(axes.begin(), axes.end()), result.View());
}

absl::Status EvaluateMean(const EvaluationContext& context, ReferenceTensor& result) {
  const ReferenceTensor& operand = *context.operands[0];
  const DType dtype = IsShortFloat(result.dtype) ? DType::kFloat32 : result.dtype;
  ReferenceTensor sums = MakeTensor(dtype, result.shape);
  Combine(ReducedElements(operand, dtype), context.node.attrs.ints,
          FindBinaryElementFn(Op::kAdd, dtype), 0, sums);
  int64_t count = 1;
  for (const int64_t axis : context.node.attrs.ints) count *= operand.shape[axis];
  executor::ElementCell divisor;
  FindCastFn(DType::kInt64, dtype)(&count, divisor.bytes);
  const BinaryElementFn divide = FindBinaryElementFn(Op::kDivide, dtype);
  const UnaryElementFn cast = FindCastFn(dtype, result.dtype);
  for (int64_t i = 0; i < result.size(); ++i) {
    divide(sums.at(i), divisor.bytes, sums.at(i));
    cast(sums.at(i), result.at(i));
  }
  return OkStatus();
}

// The operands' numbers as buffers.
std::vector<executor::OperandPlan> PlanOperands(const EvaluationContext& context) {
  std::vector<executor::OperandPlan> operands(context.operands.size());
  for (size_t i = 0; i < operands.size(); ++i) operands[i].buffer = static_cast<int>(i);
  return operands;
}

absl::Status EvaluatePlaces(const EvaluationContext& context, ReferenceTensor& result) {
  const std::vector<executor::OperandPlan> operands = PlanOperands(context);
  const auto resolve = [&](const executor::OperandPlan& operand) {
    return context.operands[operand.buffer]->View();
  };
  if (context.node.op == Op::kGather) {
    return executor::GatherElements(ir::PlanGather(context.node, operands, 0), resolve,
                                    result.View());
  }
  const executor::ScatterPlan plan = ir::PlanScatter(context.graph, context.node, operands, 0);
  return executor::ScatterElements(plan, resolve, result.View());
}

absl::Status EvaluateCompress(const EvaluationContext& context, ReferenceTensor& result) {
  const StridedView mask = context.operands[1]->View();
  if (ir::DefinedBy(context.node) != kNoScalar) {
    std::vector<int64_t> shape = result.shape;
    shape[0] = executor::CountTrue(mask);
    result = MakeTensor(result.dtype, std::move(shape));
  }
  return executor::CompressRows(context.operands[0]->View(), mask, result.View());
}

absl::Status EvaluateIntOperator(const EvaluationContext& context, ReferenceTensor& result) {
  std::vector<StridedView> operands;
  for (ReferenceTensor* operand : context.operands) operands.push_back(operand->View());
  const executor::IntOperation operation = *ir::IntOperationOf(context.node);
  return executor::ComputeInt(operation, operands, result.dtype, result.at(0))
             ? OkStatus()
             : absl::AbortedError("an int that its dtype does not hold");
}

struct OwnEvaluation {
  Op op;
  Evaluation evaluation;
};
constexpr OwnEvaluation kOwnEvaluations[] = {
    {Op::kInput, EvaluateInput},
    {Op::kScalar, EvaluateNumber},
    {Op::kFull, EvaluateNumber},
    {Op::kView, EvaluateView},
    {Op::kReshape, EvaluateReshape},
    {Op::kCast, EvaluateCast},
    {Op::kKeepOrder, EvaluateCast},
    {Op::kCOrder, EvaluateCast},
    {Op::kUpdate, EvaluateCast},
    {Op::kCustomGradient, EvaluateCast},
    {Op::kWhere, EvaluateWhere},
    {Op::kMatmul, EvaluateMatmul},
    {Op::kLibraryCall, EvaluateLibraryCall},
    {Op::kStore, EvaluateStore},
    {Op::kEmpty, EvaluateNumber},
    {Op::kRoll, EvaluateRoll},
    {Op::kConcat, EvaluateConcat},
    {Op::kCumsum, EvaluateScan},
    {Op::kCumprod, EvaluateScan},
    {Op::kArgMax, EvaluateArgExtreme},
    {Op::kArgMin, EvaluateArgExtreme},
    {Op::kMean, EvaluateMean},
    {Op::kGather, EvaluatePlaces},
    {Op::kScatter, EvaluatePlaces},
    {Op::kCompress, EvaluateCompress},
    {Op::kIntOperator, EvaluateIntOperator},
    {Op::kCond, EvaluateControlFlow},
    {Op::kLoop, EvaluateControlFlow},
    {Op::kResult, EvaluateControlFlow},
};

}  // namespace

Evaluation EvaluationOf(const ir::Node& node) {
  return ir::MakesCall(node) ? EvaluateLibraryCall : EvaluationOf(node.op);
}

Evaluation EvaluationOf(Op op) {
  if (IsRegistered(op)) return EvaluateByLoop;
  for (const OwnEvaluation& row : kOwnEvaluations) {
    if (row.op == op) return row.evaluation;
  }
  const OpCategory category = Info(op).category;
  if (category == OpCategory::kUnary) return EvaluateUnary;
  if (category == OpCategory::kBinary) return EvaluateBinary;
  return FindReduction(op) != nullptr ? EvaluateReduction : nullptr;
}

}  // namespace dynacc::reference
