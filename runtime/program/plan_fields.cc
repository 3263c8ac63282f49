#include "runtime/program/plan_fields.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/scalar/scalar_text.h"

namespace dynacc::program {

using executor::BufferKind;
using executor::BufferPlan;
using executor::LayoutRule;
using executor::OperandPlan;
using executor::ShapePlan;
using executor::ViewPlan;

// --- The scalar program.

// Adds to `program` what `expr` says, whose operands are there; kNoScalar if they do not fit.
static ScalarId AddTo(ScalarProgram& program, const ScalarExpr& expr) {
  if (expr.op == ScalarOp::kInput) return program.AddInput(expr.type);
  if (expr.op == ScalarOp::kDataDependent) return program.AddDataDependent();
  if (expr.op != ScalarOp::kConst) {
    const bool accepts = program.Accepts(expr.op, expr.a, expr.b);
    return accepts ? program.Apply(expr.op, expr.a, expr.b) : kNoScalar;
  }
  if (expr.type == ScalarType::kFloat) return program.Float(expr.value.f);
  return expr.type == ScalarType::kInt ? program.Int(expr.value.i)
                                       : program.Bool(expr.value.i != 0);
}

// Makes the program whose expressions these are. False if they are no program's: each must be what
// the program makes of it, under the same number.
static bool Restore(absl::Span<const ScalarExpr> exprs, ScalarProgram& program) {
  for (const ScalarExpr& expr : exprs) {
    const ScalarId expected = program.size();
    if (AddTo(program, expr) != expected || program.size() != expected + 1) return false;
    const ScalarExpr& made = program.expr(expected);
    const bool same = made.op == expr.op && made.type == expr.type && made.a == expr.a &&
                      made.b == expr.b && made.value.i == expr.value.i;
    if (!same) return false;
  }
  return true;
}

void PlanFields::Expression(ScalarExpr& expr) {
  // "=" a constant, "in" an input, "run" a number that the run tells, else the operator's text.
  std::string text;
  if (!archive_.reads()) {
    text = expr.op == ScalarOp::kConst           ? "="
           : expr.op == ScalarOp::kInput         ? "in"
           : expr.op == ScalarOp::kDataDependent ? "run"
                                                 : Info(expr.op).text;
  }
  archive_.Text(text);
  const std::optional<ScalarOp> op = text == "="     ? std::optional(ScalarOp::kConst)
                                     : text == "in"  ? std::optional(ScalarOp::kInput)
                                     : text == "run" ? std::optional(ScalarOp::kDataDependent)
                                                     : ParseScalarOp(text);
  archive_.Require(op.has_value(), "an unknown operator of sizes");
  expr.op = op.value_or(ScalarOp::kConst);
  archive_.Enum(expr.type, ScalarType::kBool);
  archive_.Number(expr.a);
  archive_.Number(expr.b);
  archive_.Number(expr.value.i);
}

void PlanFields::Scalars(ScalarProgram& program) {
  std::vector<ScalarExpr> exprs;
  for (ScalarId id = 0; !archive_.reads() && id < program.size(); ++id) {
    exprs.push_back(program.expr(id));
  }
  archive_.List(exprs, [this](ScalarExpr& expr) { Expression(expr); });
  if (archive_.reads()) {
    archive_.Require(Restore(exprs, program), "expressions of sizes that are none");
  }
  scalars_ = program;
}

void PlanFields::Scalar(ScalarId& id) {
  archive_.Within<int32_t>(id, 0, scalars_.size(), "a size that is not there");
}

void PlanFields::ScalarOrNone(ScalarId& id) {
  archive_.Within<int32_t>(id, kNoScalar, scalars_.size(), "a size that is not there");
}

// --- Shapes and views.

void PlanFields::Shape(ShapePlan& shape) {
  archive_.Within<uint8_t>(shape.rank, 0, kMaxRank + 1, "a rank that is too high");
  for (int i = 0; i < shape.rank; ++i) {
    Scalar(shape.sizes[i]);
    if (!archive_.ok()) return;
    archive_.Require(scalars_.expr(shape.sizes[i]).type == ScalarType::kInt,
                     "a size that is no int");
  }
}

void PlanFields::View(ViewPlan& view) {
  Shape(view.shape);
  archive_.Within<uint8_t>(view.operand_rank, 0, kMaxRank + 1, "a rank that is too high");
  for (int i = 0; i < view.operand_rank; ++i) Scalar(view.start[i]);
  for (int i = 0; i < view.shape.rank; ++i) {
    archive_.Within<int8_t>(view.axis[i], -1, view.operand_rank, "an axis that is not there");
    ScalarOrNone(view.step[i]);
    archive_.Require(view.axis[i] < 0 || view.step[i] >= 0, "an axis without a step");
  }
}

void PlanFields::Buffer(int& buffer) {
  archive_.Within<int32_t>(buffer, 0, static_cast<int64_t>(buffers_.size()),
                           "a buffer that is not there");
}

void PlanFields::Operand(OperandPlan& operand) {
  Buffer(operand.buffer);
  int rank = archive_.ok() ? buffers_[operand.buffer].shape.rank : 0;
  archive_.List(operand.views, [&](ViewPlan& view) {
    View(view);
    archive_.Require(view.operand_rank == rank, "a view of another rank");
    rank = view.shape.rank;
  });
  archive_.List(operand.shifts, [this](ScalarId& id) { Scalar(id); });
  archive_.Require(operand.shifts.empty() || static_cast<int>(operand.shifts.size()) == rank,
                   "shifts of another rank");
}

int PlanFields::RankOf(const OperandPlan& operand) const {
  return operand.views.empty() ? RankOf(operand.buffer) : operand.views.back().shape.rank;
}

// --- Layouts.

// How many operands each rule looks at: at least.
static constexpr int kLeastOperands[] = {
    0,  // kInput
    0,  // kCOrder
    0,  // kNumber
    1,  // kView
    1,  // kPart
    1,  // kReshape
    1,  // kConverted
    0,  // kUfunc
    0,  // kIterator
    1,  // kKeepOrder
    2,  // kUpdate
    1,  // kReduce
    2,  // kMatmul
    1,  // kConcat
};
static_assert(std::size(kLeastOperands) == static_cast<size_t>(LayoutRule::kConcat) + 1);
// Rules that order axes by all operands have room for so many.
static constexpr size_t kMostOperands = 3;

void PlanFields::LayoutStep(executor::LayoutStep& step, int index) {
  archive_.Enum(step.rule, LayoutRule::kConcat);
  archive_.Type(step.dtype);
  Shape(step.shape);
  archive_.List(step.operands, [&](int& operand) {
    archive_.Within<int32_t>(operand, 0, index, "a layout that comes later");
  });
  const bool by_all = step.rule == LayoutRule::kUfunc || step.rule == LayoutRule::kIterator;
  archive_.Require(
      static_cast<int>(step.operands.size()) >= kLeastOperands[static_cast<int>(step.rule)] &&
          (!by_all || step.operands.size() <= kMostOperands),
      "a layout of other operands");
  if (step.rule == LayoutRule::kInput) {
    archive_.Within<int32_t>(step.index, 0, limits_.inputs, "an input that is not there");
  }
  if (step.rule == LayoutRule::kView) View(step.view);
  if (step.rule == LayoutRule::kReduce) {
    archive_.Number(step.reduced_axes);
    archive_.Flag(step.keepdims);
  }
}

void PlanFields::Layouts(std::vector<executor::LayoutStep>& steps) {
  int index = 0;
  archive_.List(steps, [&](executor::LayoutStep& step) { LayoutStep(step, index++); });
  num_layouts_ = static_cast<int>(steps.size());
}

// --- Buffers.

void PlanFields::OneBuffer(BufferPlan& buffer) {
  archive_.Enum(buffer.kind, BufferKind::kPart);
  archive_.Type(buffer.dtype);
  Shape(buffer.shape);
  archive_.Within<int32_t>(buffer.layout, -1, num_layouts_, "a layout that is not there");
  archive_.Number(buffer.aliased_buffer);
  if (buffer.kind == BufferKind::kInput) {
    archive_.Within<int32_t>(buffer.index, 0, limits_.inputs, "an input that is not there");
  }
  if (buffer.kind == BufferKind::kOutput) {
    archive_.Within<int32_t>(buffer.index, 0, limits_.outputs, "an output that is not there");
  }
  if (buffer.kind != BufferKind::kScalar) return;
  Scalar(buffer.scalar);
  ScalarOrNone(buffer.imag);
  if (!archive_.ok()) return;
  buffer.scalar_type = scalars_.expr(buffer.scalar).type;
  if (buffer.imag >= 0) buffer.imag_type = scalars_.expr(buffer.imag).type;
}

// A buffer lies in a later one's memory, and that perhaps in a third one's, but never in a ring.
void PlanFields::CheckAliases() {
  const int count = static_cast<int>(buffers_.size());
  for (const BufferPlan& buffer : buffers_) {
    int steps = 0;
    for (int next = buffer.aliased_buffer; archive_.ok() && next != -1; ++steps) {
      archive_.Require(next >= 0 && next < count && steps <= count, "buffers that lie in a ring");
      if (archive_.ok()) next = buffers_[next].aliased_buffer;
    }
  }
}

void PlanFields::Buffers(std::vector<BufferPlan>& buffers) {
  archive_.List(buffers, [this](BufferPlan& buffer) { OneBuffer(buffer); });
  buffers_ = buffers;
  CheckAliases();
}

// --- What is written into inputs.

void PlanFields::WriteBack(executor::WriteBackPlan& plan) {
  Operand(plan.source);
  Buffer(plan.target);
  if (!archive_.ok()) return;
  int rank = RankOf(plan.target);
  archive_.List(plan.region, [&](ViewPlan& view) {
    View(view);
    archive_.Require(view.operand_rank == rank, "a view of another rank");
    rank = view.shape.rank;
  });
  archive_.Require(archive_.ok() && buffers_[plan.target].kind == BufferKind::kInput &&
                       buffers_[plan.target].dtype == DTypeOf(plan.source) &&
                       rank == RankOf(plan.source),
                   "a result that is written elsewhere");
}

// --- Steps that go element by element.

void PlanFields::Scan(executor::ScanPlan& plan) {
  archive_.Operation(plan.op);
  Operand(plan.source);
  archive_.Number(plan.axis);
  Buffer(plan.output);
  if (!archive_.ok()) return;
  const DType dtype = buffers_[plan.output].dtype;
  archive_.Require((plan.op == Op::kAdd || plan.op == Op::kMultiply) && plan.axis >= 0 &&
                       plan.axis < RankOf(plan.source) && DTypeOf(plan.source) == dtype &&
                       RankOf(plan.output) == RankOf(plan.source),
                   "a scan of other operands");
}

void PlanFields::Extremes(executor::ExtremesPlan& plan) {
  archive_.Operation(plan.op);
  Operand(plan.source);
  const int rank = archive_.ok() ? RankOf(plan.source) : 0;
  archive_.List(plan.axes, [&](int& axis) {
    archive_.Within<uint8_t>(axis, 0, rank, "an axis that is not there");
  });
  Buffer(plan.output);
  if (!archive_.ok()) return;
  archive_.Require((plan.op == Op::kGreater || plan.op == Op::kLess) && !plan.axes.empty() &&
                       buffers_[plan.output].dtype == DType::kInt64,
                   "places of extremes of other operands");
}

void PlanFields::NumberOrNone(std::optional<int64_t>& number) {
  bool is_there = number.has_value();
  archive_.Flag(is_there);
  int64_t value = number.value_or(0);
  if (is_there) archive_.Number(value);
  number = is_there ? std::optional(value) : std::nullopt;
}

void PlanFields::Bound(std::optional<executor::GatherPlan::Bound>& bound) {
  bool is_there = bound.has_value();
  archive_.Flag(is_there);
  if (!is_there) {
    bound.reset();
    return;
  }
  executor::GatherPlan::Bound value = bound.value_or(executor::GatherPlan::Bound());
  NumberOrNone(value.number);
  if (!value.number) Operand(value.operand);
  bound = std::move(value);
}

void PlanFields::Part(executor::GatherPlan::Part& part) {
  archive_.Within<uint8_t>(part.axis, 0, kMaxRank, "an axis that is not there");
  archive_.Flag(part.is_new);
  Bound(part.from);
  Bound(part.to);
  archive_.Number(part.step);
  archive_.Require(part.step != 0, "a part with a step of 0");
}

void PlanFields::Index(executor::GatherPlan::Index& index) {
  archive_.Within<uint8_t>(index.axis, 0, kMaxRank, "an axis that is not there");
  NumberOrNone(index.number);
  archive_.List(index.numbers, [this](int64_t& number) { archive_.Number(number); });
  if (!index.number && index.numbers.empty()) Operand(index.operand);
}

void PlanFields::Gather(executor::GatherPlan& plan) {
  Operand(plan.source);
  archive_.List(plan.parts, [this](executor::GatherPlan::Part& part) { Part(part); });
  archive_.List(plan.indices, [this](executor::GatherPlan::Index& index) { Index(index); });
  archive_.Within<uint8_t>(plan.place, 0, kMaxRank + 1, "an axis that is not there");
  archive_.Within<uint8_t>(plan.index_rank, 0, kMaxRank + 1, "a rank that is too high");
  archive_.Flag(plan.is_along);
  Buffer(plan.output);
  archive_.Enum(plan.order, executor::GatherPlan::Order::kUnknown);
  archive_.Require(!plan.indices.empty(), "places that nothing names");
}

void PlanFields::Scatter(executor::ScatterPlan& plan) {
  Gather(plan.places);
  archive_.Type(plan.dtype);
  bool combines = plan.op.has_value();
  archive_.Flag(combines);
  Op op = plan.op.value_or(Op::kAdd);
  if (combines) archive_.Operation(op);
  plan.op = combines ? std::optional(op) : std::nullopt;
  bool has_number = plan.number.has_value();
  archive_.Flag(has_number);
  if (!has_number) return Operand(plan.value);
  executor::ElementCell cell = plan.number.value_or(executor::ElementCell());
  for (char& byte : cell.bytes) archive_.Number(byte);
  plan.number = cell;
}

void PlanFields::Integers(executor::IntOperation& operation, std::vector<OperandPlan>& operands) {
  using Operator = executor::IntOperation::Operator;
  constexpr absl::string_view kWraps = " wraps";
  std::string name;
  if (!archive_.reads()) {
    name = absl::StrCat(Info(operation.op).name, operation.wraps ? kWraps : "");
  }
  archive_.Text(name);
  operation.wraps = absl::EndsWith(name, kWraps);
  if (operation.wraps) name.resize(name.size() - kWraps.size());
  const int count = executor::NumIntOperators();
  int found = 0;
  while (found < count && name != Info(static_cast<Operator>(found)).name) ++found;
  archive_.Require(found < count, "an unknown operator of ints");
  if (archive_.ok()) operation.op = static_cast<Operator>(found);
  archive_.List(operands, [this](OperandPlan& operand) { Operand(operand); });
  archive_.List(operation.arguments, [&](executor::IntOperation::Argument& argument) {
    archive_.Within<int32_t>(argument.operand, -1, static_cast<int64_t>(operands.size()),
                             "an operand that is not there");
    archive_.Number(argument.number);
  });
  if (!archive_.ok()) return;
  bool fits = static_cast<int>(operation.arguments.size()) == Info(operation.op).operands;
  for (const OperandPlan& operand : operands) {
    fits = fits && RankOf(operand) == 0 && executor::HoldsInts(DTypeOf(operand));
  }
  archive_.Require(fits, "an operator on other ints");
}

}  // namespace dynacc::program
