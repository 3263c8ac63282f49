#include "codegen/compile/structural_steps.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/int_operator_attrs.h"
#include "runtime/executor/call_steps.h"
#include "runtime/executor/element_steps.h"
#include "runtime/executor/library_call_step.h"
#include "runtime/ops/op.h"

namespace dynacc::compile {
namespace {

using StepPtr = std::unique_ptr<executor::Step>;

// For each op: the step that covers everything on the host, and a faster one. The latter is null,
// and `slow` left where it is, if none fits.
struct Lowering {
  Op op;
  StepPtr (*cover)(const PlannedNode& planned);
  StepPtr (*follow)(const PlannedNode& planned, StepPtr& slow);
};

// --- Scans.

executor::ScanPlan PlanScan(const PlannedNode& planned) {
  const ir::Node& node = planned.node;
  const Op op = node.op == Op::kCumprod ? Op::kMultiply : Op::kAdd;
  return {op, planned.operands[0], static_cast<int>(node.attrs.ints[0]), planned.output};
}

StepPtr CoverScan(const PlannedNode& planned) {
  return std::make_unique<executor::ElementScanStep>(PlanScan(planned));
}

StepPtr FollowScan(const PlannedNode& planned, StepPtr& slow) {
  const ir::Node& node = planned.node;
  const bool multiplies = node.op == Op::kCumprod;
  const executor::OperandPlan& operand = planned.operands[0];
  const auto axis = static_cast<int>(node.attrs.ints[0]);
  if (planned.device != nullptr) {
    const Op reduction = multiplies ? Op::kReduceProd : Op::kReduceSum;
    return planned.device->MakeScan(reduction, node.dtype, operand, axis, planned.output, slow);
  }
  if (!executor::CanScan(node.dtype)) return nullptr;
  return std::make_unique<executor::ScanStep>(PlanScan(planned), node.dtype, std::move(slow));
}

// --- Places of extremes.

StepPtr CoverArgExtreme(const PlannedNode& planned) {
  const ir::Node& node = planned.node;
  return std::make_unique<executor::ElementExtremesStep>(
      executor::ExtremesPlan{node.op == Op::kArgMin ? Op::kLess : Op::kGreater,
                             planned.operands[0],
                             {node.attrs.ints.begin(), node.attrs.ints.end()},
                             planned.output});
}

// Along the last axis, or over all elements.
StepPtr FollowArgExtreme(const PlannedNode& planned, StepPtr& slow) {
  const ir::Node& node = planned.node;
  const ir::Node& source = *node.operands[0];
  const auto find =
      node.op == Op::kArgMin ? cpu::FindArgMin(source.dtype) : cpu::FindArgMax(source.dtype);
  const bool is_last = node.attrs.ints.back() == source.rank() - 1;
  if (find == nullptr || planned.device != nullptr || !is_last) return nullptr;
  const auto row_axes = static_cast<int>(node.attrs.ints.size());
  return std::make_unique<executor::ArgExtremeStep>(find, planned.operands[0], row_axes,
                                                    planned.output, std::move(slow));
}

// --- Places that indices name.

StepPtr CoverGather(const PlannedNode& planned) {
  return std::make_unique<executor::ElementGatherStep>(
      ir::PlanGather(planned.node, planned.operands, planned.output));
}

// Whether the places are rows along the first axis that one array of int64 names.
bool IsTake(const ir::Node& node) {
  const ir::GatherAttrs places = *ir::GatherAttrsOf(node);
  const ir::PlaceItem& first = places.items[0];
  if (places.along || first.kind != ir::PlaceItem::Kind::kOperand) return false;
  for (size_t i = 1; i < places.items.size(); ++i) {
    if (places.items[i].kind != ir::PlaceItem::Kind::kWhole) return false;
  }
  const ir::Node& index = *node.operands[first.operand];
  return index.dtype == DType::kInt64 && index.rank() > 0;
}

StepPtr FollowGather(const PlannedNode& planned, StepPtr& slow) {
  const ir::Node& node = planned.node;
  if (planned.device != nullptr) {
    return planned.device->MakeGather(ir::PlanGather(node, planned.operands, planned.output), slow);
  }
  if (!IsTake(node)) return nullptr;
  const int index = ir::GatherAttrsOf(node)->items[0].operand;
  return std::make_unique<executor::TakeStep>(planned.operands[0], planned.operands[index],
                                              planned.output, std::move(slow));
}

StepPtr CoverScatter(const PlannedNode& planned) {
  return std::make_unique<executor::ElementScatterStep>(
      ir::PlanScatter(planned.graph, planned.node, planned.operands, planned.output));
}

StepPtr FollowScatter(const PlannedNode& planned, StepPtr& slow) {
  // No call writes along an axis, so no device's kernels do.
  const bool is_along = ir::ScatterAttrsOf(planned.node)->places.along;
  if (planned.device == nullptr || is_along) return nullptr;
  return planned.device->MakeScatter(
      ir::PlanScatter(planned.graph, planned.node, planned.operands, planned.output), slow);
}

// --- Rows, or elements, that a mask picks.

StepPtr CoverCompress(const PlannedNode& planned) {
  return executor::MakeElementCompress(planned.operands[0], planned.operands[1], planned.output,
                                       ir::DefinedBy(planned.node));
}

StepPtr FollowCompress(const PlannedNode& planned, StepPtr& slow) {
  const ScalarId defined = ir::DefinedBy(planned.node);
  if (planned.device != nullptr || defined == kNoScalar) return nullptr;
  return std::make_unique<executor::CompressStep>(planned.operands[0], planned.operands[1],
                                                  planned.output, defined, std::move(slow));
}

// --- Operators on single ints.

StepPtr CoverIntOperator(const PlannedNode&) {
  return executor::MakeAbort(
      "an int that its dtype does not hold, or an operation that Python refuses");
}

StepPtr FollowIntOperator(const PlannedNode& planned, StepPtr& slow) {
  const bool calls = ir::MakesCall(planned.node);
  if (planned.device != nullptr && calls) return nullptr;
  executor::IntOperation operation = *ir::IntOperationOf(planned.node);
  operation.wraps = operation.wraps && !calls;  // the call warns
  return std::make_unique<executor::IntStep>(std::move(operation), planned.operands,
                                             planned.node.dtype, planned.output, std::move(slow));
}

constexpr Lowering kLowerings[] = {
    {Op::kCumsum, CoverScan, FollowScan},
    {Op::kCumprod, CoverScan, FollowScan},
    {Op::kArgMax, CoverArgExtreme, FollowArgExtreme},
    {Op::kArgMin, CoverArgExtreme, FollowArgExtreme},
    {Op::kGather, CoverGather, FollowGather},
    {Op::kScatter, CoverScatter, FollowScatter},
    {Op::kCompress, CoverCompress, FollowCompress},
    {Op::kIntOperator, CoverIntOperator, FollowIntOperator},
};

const Lowering* FindLowering(Op op) {
  for (const Lowering& lowering : kLowerings) {
    if (lowering.op == op) return &lowering;
  }
  return nullptr;
}

StepPtr MakeCall(const PlannedNode& planned) {
  const ir::Node& node = planned.node;
  return std::make_unique<executor::LibraryCallStep>(
      executor::LibraryCallPlan{node.attrs.call, node.dtype, planned.operands, planned.output,
                                ir::DefinedBy(node), planned.read_on});
}

}  // namespace

absl::StatusOr<std::unique_ptr<executor::Step>> MakeStructuralStep(const PlannedNode& planned) {
  const Lowering* const lowering = FindLowering(planned.node.op);
  const bool calls = ir::MakesCall(planned.node);
  if (!calls && lowering == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("no step for ", Info(planned.node.op).text, " without a call"));
  }
  // What the library reports is an error already, and a device has no flags.
  const bool reports = HasTrait(planned.node.op, kRaisesFlags) && IsInexact(planned.node.dtype);
  StepPtr slow = calls ? MakeCall(planned) : lowering->cover(planned);
  slow->reports_flags = reports && !calls;
  StepPtr fast = lowering == nullptr ? nullptr : lowering->follow(planned, slow);
  if (fast == nullptr) return slow;
  fast->reports_flags = reports && planned.device == nullptr;
  return fast;
}

}  // namespace dynacc::compile
