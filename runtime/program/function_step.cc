#include "runtime/program/function_step.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "boost/container/small_vector.hpp"
#include "runtime/base/status_macros.h"
#include "runtime/executor/call_steps.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/memory_order.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::program {

absl::Status FunctionStep::Run(executor::RunFrame& frame) const {
  boost::container::small_vector<StridedView, 2> operands;
  for (const executor::OperandPlan& operand : operands_) {
    StridedView storage;
    operands.push_back(frame.Resolve(operand, storage));
  }
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  const StridedView& out = frame.view(output_);
  StridedView result = out;
  executor::ScratchBlock apart;
  if (!executor::IsContiguous(out)) {
    if (!apart.Allocate(out.size() * ItemSize(out.dtype))) {
      return absl::ResourceExhaustedError("no memory for a result");
    }
    result.data = apart.data();
    SetContiguousStrides(result);
  }
  const absl::Status status = cpu::RunOwn(call_, operands, result, lapack_.get());
  if (!status.ok()) return Annotate(status, call_.function);
  if (apart.data() != nullptr) executor::CopyElements(result, out);
  return absl::OkStatus();
}

absl::Status PlaceStep::Run(executor::RunFrame& frame) const {
  const auto read = [&](const executor::OperandPlan& operand) {
    StridedView storage;
    const StridedView& view = frame.Resolve(operand, storage);
    int64_t value = 0;
    FindCastFn(view.dtype, DType::kInt64)(view.data, &value);
    return value;
  };
  const int64_t index = read(operands_[0]);
  const int64_t size = operands_.size() > 1 ? read(operands_[1]) : size_;
  if (size >= 0 && index >= -size && index < size) {
    return frame.DefineSize(number_, index < 0 ? index + size : index);
  }
  absl::Status status = executor::BeyondArray(index, size);
  if (frame.kind(operands_[0].buffer) == executor::BufferKind::kInput) {
    status.SetPayload(executor::kInputPayload,
                      absl::Cord(absl::StrCat(frame.index(operands_[0].buffer))));
  }
  return status;
}

namespace {

void Visit(PlanFields& fields, FunctionFields& step) {
  Archive& archive = fields.archive();
  archive.Text(step.call.function);
  archive.List(step.call.numbers, [&](int64_t& number) { archive.Number(number); });
  archive.Text(step.lapack);
  archive.List(step.operands, [&](executor::OperandPlan& operand) { fields.Operand(operand); });
  fields.Buffer(step.output);
}

}  // namespace

void SaveFunctionStep(PlanFields& fields, FunctionFields step) {
  if (!cpu::NeedsLapack(step.call)) step.lapack.clear();
  Visit(fields, step);
}

absl::StatusOr<std::unique_ptr<executor::Step>> LoadFunctionStep(PlanFields& fields) {
  FunctionFields step;
  Visit(fields, step);
  if (!fields.archive().ok()) return fields.archive().status();
  std::vector<cpu::OperandType> types;
  for (const executor::OperandPlan& operand : step.operands) {
    types.push_back({fields.DTypeOf(operand), fields.RankOf(operand)});
  }
  const cpu::OperandType result = {fields.buffers()[step.output].dtype, fields.RankOf(step.output)};
  const std::string why = cpu::WhyNotOwn(step.call, types, result);
  if (!why.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("function ", step.call.function, ": ", why));
  }
  std::shared_ptr<const cpu::Lapack> lapack;
  if (cpu::NeedsLapack(step.call)) {
    DYNACC_ASSIGN_OR_RETURN(lapack, cpu::Lapack::Open(step.lapack));
  }
  return std::make_unique<FunctionStep>(std::move(step.call), std::move(step.operands), step.output,
                                        std::move(lapack));
}

}  // namespace dynacc::program
