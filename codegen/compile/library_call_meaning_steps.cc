#include "codegen/compile/library_call_meaning_steps.h"

#include <optional>
#include <utility>

#include "codegen/compile/gather_planner.h"
#include "runtime/executor/call_steps.h"
#include "runtime/executor/library_call_meaning.h"
#include "runtime/ops/op.h"

namespace dynacc::compile {
namespace {

// Each of these gives a step if the call has its meaning, and null if not; only then `call` is left
// where it is.

std::unique_ptr<executor::Step> MakeScan(const PlannedLibraryCall& planned,
                                         std::unique_ptr<executor::Step>& call) {
  const ir::Node& node = planned.node;
  const std::optional<executor::ScanCall> scan = executor::FindScanCall(node.attrs.ints[0]);
  if (!scan.has_value() || node.operands.size() != 1) return nullptr;
  const ir::Node* const source = node.operands[0];
  const int rank = source->rank();
  int axis = scan->axis.value_or(0);
  if (axis < 0) axis += rank;
  const bool fits = axis >= 0 && axis < rank && (scan->axis.has_value() || rank == 1);
  if (!fits || source->dtype != node.dtype || source->shape != node.shape) return nullptr;
  const executor::OperandPlan& operand = planned.operands[0];
  if (planned.device != nullptr) {
    const Op reduction = scan->multiplies ? Op::kReduceProd : Op::kReduceSum;
    std::unique_ptr<executor::Step> step =
        planned.device->MakeScan(reduction, node.dtype, operand, axis, planned.output, call);
    if (step != nullptr) step->reports_flags = false;
    return step;
  }
  if (!executor::CanScan(node.dtype)) return nullptr;
  auto step = std::make_unique<executor::ScanStep>(scan->multiplies, node.dtype, operand, axis,
                                                   planned.output, std::move(call));
  step->reports_flags = IsFloat(node.dtype);
  return step;
}

// argmax and argmin along the last axis, or over all elements.
std::unique_ptr<executor::Step> MakeArgExtreme(const PlannedLibraryCall& planned,
                                               std::unique_ptr<executor::Step>& call) {
  const ir::Node& node = planned.node;
  const std::optional<executor::ArgExtremeCall> extreme =
      executor::FindArgExtremeCall(node.attrs.ints[0]);
  if (!extreme.has_value() || planned.device != nullptr || node.operands.size() != 1) {
    return nullptr;
  }
  const ir::Node* const source = node.operands[0];
  const int rank = source->rank();
  const int axis = extreme->axis.value_or(-1);
  const bool is_last = rank > 0 && (axis == -1 || axis == rank - 1);
  const cpu::ArgExtremeFn find =
      extreme->least ? cpu::FindArgMin(source->dtype) : cpu::FindArgMax(source->dtype);
  if (find == nullptr || node.dtype != DType::kInt64 || !is_last) return nullptr;
  const int row_axes = extreme->axis.has_value() ? 1 : rank;
  auto step = std::make_unique<executor::ArgExtremeStep>(find, planned.operands[0], row_axes,
                                                         planned.output, std::move(call));
  step->reports_flags = false;
  return step;
}

// Rows that an array of indices names.
std::unique_ptr<executor::Step> MakeTake(const PlannedLibraryCall& planned,
                                         std::unique_ptr<executor::Step>& call) {
  const ir::Node& node = planned.node;
  const std::optional<executor::TakeCall> take = executor::FindTakeCall(node.attrs.ints[0]);
  if (!take.has_value() || planned.device != nullptr || node.operands.size() != 2) return nullptr;
  const ir::Node* const source = node.operands[0];
  const ir::Node* const index = node.operands[1];
  const bool fits = source->dtype == node.dtype && index->dtype == DType::kInt64 &&
                    node.rank() == source->rank() + index->rank() - 1 && node.attrs.scalars.empty();
  if (!fits) return nullptr;
  auto step = std::make_unique<executor::TakeStep>(*take, planned.operands[0], planned.operands[1],
                                                   planned.output, std::move(call));
  step->reports_flags = false;
  return step;
}

// Rows, or elements, that a mask picks.
std::unique_ptr<executor::Step> MakeCompress(const PlannedLibraryCall& planned,
                                             std::unique_ptr<executor::Step>& call) {
  const ir::Node& node = planned.node;
  const std::optional<executor::TakeCall> take = executor::FindTakeCall(node.attrs.ints[0]);
  const bool fits = take.has_value() && !take->is_flat && planned.device == nullptr &&
                    node.operands.size() == 2 && node.attrs.scalars.size() == 1 &&
                    node.shape[0] == node.attrs.scalars[0];
  if (!fits) return nullptr;
  const ir::Node* const source = node.operands[0];
  const ir::Node* const mask = node.operands[1];
  const bool is_mask = mask->dtype == DType::kBool && source->dtype == node.dtype &&
                       node.rank() == source->rank() - mask->rank() + 1;
  if (!is_mask) return nullptr;
  auto step = std::make_unique<executor::CompressStep>(planned.operands[0], planned.operands[1],
                                                       planned.output, node.attrs.scalars[0],
                                                       std::move(call));
  step->reports_flags = false;
  return step;
}

// On a device: elements at all kinds of places, read or written.
std::unique_ptr<executor::Step> MakeGather(const PlannedLibraryCall& planned,
                                           std::unique_ptr<executor::Step>& call) {
  if (planned.device == nullptr) return nullptr;
  std::unique_ptr<executor::Step> step;
  if (const auto gather = PlanGather(&planned.node, planned.operands, planned.output)) {
    step = planned.device->MakeGather(*gather, call);
  } else if (const auto scatter = PlanScatter(&planned.node, planned.operands, planned.output)) {
    step = planned.device->MakeScatter(*scatter, call);
  }
  if (step != nullptr) step->reports_flags = false;
  return step;
}

// An operator on single ints.
std::unique_ptr<executor::Step> MakeIntOperation(const PlannedLibraryCall& planned,
                                                 std::unique_ptr<executor::Step>& call) {
  const ir::Node& node = planned.node;
  const std::optional<executor::IntOperationCall> operation =
      executor::FindIntOperationCall(node.attrs.ints[0]);
  if (!operation.has_value() || planned.device != nullptr || node.rank() != 0) return nullptr;
  std::vector<DType> dtypes;
  for (const ir::Node* operand : node.operands) {
    if (operand->rank() != 0) return nullptr;
    dtypes.push_back(operand->dtype);
  }
  if (!executor::IntStep::Does(*operation, dtypes, node.dtype)) return nullptr;
  auto step = std::make_unique<executor::IntStep>(*operation, std::move(dtypes), planned.operands,
                                                  node.dtype, planned.output, std::move(call));
  step->reports_flags = false;
  return step;
}

using Maker = std::unique_ptr<executor::Step> (*)(const PlannedLibraryCall& planned,
                                                  std::unique_ptr<executor::Step>& call);
constexpr Maker kMakers[] = {&MakeScan,     &MakeArgExtreme, &MakeTake,
                             &MakeCompress, &MakeGather,     &MakeIntOperation};

}  // namespace

std::unique_ptr<executor::Step> FollowMeaning(const PlannedLibraryCall& planned,
                                              std::unique_ptr<executor::Step> call) {
  for (const Maker make : kMakers) {
    if (std::unique_ptr<executor::Step> step = make(planned, call)) return step;
  }
  return call;
}

}  // namespace dynacc::compile
