// The steps of the ops that a library call may compute, and those that run graphs.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "runtime/cpu/loops/extreme_run.h"
#include "runtime/executor/call_steps.h"
#include "runtime/executor/library_call_text.h"
#include "runtime/program/function_step.h"
#include "runtime/program/step_archive.h"

namespace dynacc::program {

using executor::Step;

// --- Steps element by element, and the quicker ones in their places, which they are the host of.

template <typename Plain>
static const Plain* PlainOf(const Step& step) {
  const auto* const quick = dynamic_cast<const executor::CallStep*>(&step);
  return dynamic_cast<const Plain*>(quick == nullptr ? &step : &quick->host());
}

// Reads or writes whether the step is the quicker one.
static bool Quick(Archive& archive, const Step* step) {
  bool is_quick = step != nullptr && dynamic_cast<const executor::CallStep*>(step) != nullptr;
  archive.Flag(is_quick);
  return is_quick;
}

void StepArchive::SaveScan(const Step& step) {
  executor::ScanPlan plan = PlainOf<executor::ElementScanStep>(step)->plan();
  Quick(archive_, &step);
  fields_.Scan(plan);
}

StepPtr StepArchive::LoadScan(int) {
  executor::ScanPlan plan;
  const bool is_quick = Quick(archive_, nullptr);
  fields_.Scan(plan);
  if (!archive_.ok()) return nullptr;
  const DType dtype = fields_.buffers()[plan.output].dtype;
  StepPtr plain = std::make_unique<executor::ElementScanStep>(plan);
  if (!is_quick || !executor::CanScan(dtype)) return plain;
  return std::make_unique<executor::ScanStep>(std::move(plan), dtype, std::move(plain));
}

void StepArchive::SaveExtremes(const Step& step) {
  executor::ExtremesPlan plan = PlainOf<executor::ElementExtremesStep>(step)->plan();
  Quick(archive_, &step);
  fields_.Extremes(plan);
}

StepPtr StepArchive::LoadExtremes(int) {
  executor::ExtremesPlan plan;
  const bool is_quick = Quick(archive_, nullptr);
  fields_.Extremes(plan);
  if (!archive_.ok()) return nullptr;
  const DType dtype = fields_.DTypeOf(plan.source);
  const auto find = plan.op == Op::kLess ? cpu::FindArgMin(dtype) : cpu::FindArgMax(dtype);
  StepPtr plain = std::make_unique<executor::ElementExtremesStep>(plan);
  if (!is_quick || find == nullptr) return plain;
  return std::make_unique<executor::ArgExtremeStep>(
      find, plan.source, static_cast<int>(plan.axes.size()), plan.output, std::move(plain));
}

void StepArchive::SaveGather(const Step& step) {
  executor::GatherPlan plan = PlainOf<executor::ElementGatherStep>(step)->plan();
  Quick(archive_, &step);
  fields_.Gather(plan);
}

StepPtr StepArchive::LoadGather(int) {
  executor::GatherPlan plan;
  const bool is_quick = Quick(archive_, nullptr);
  fields_.Gather(plan);
  if (!archive_.ok()) return nullptr;
  archive_.Require(fields_.DTypeOf(plan.source) == fields_.buffers()[plan.output].dtype,
                   "places of another type");
  StepPtr plain = std::make_unique<executor::ElementGatherStep>(plan);
  if (!is_quick) return plain;
  const executor::OperandPlan& index = plan.indices[0].operand;
  archive_.Require(plan.indices.size() == 1 && !plan.indices[0].number &&
                       plan.indices[0].numbers.empty() && fields_.DTypeOf(index) == DType::kInt64 &&
                       fields_.RankOf(index) > 0 && fields_.RankOf(plan.source) > 0,
                   "rows at places of another type");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::TakeStep>(plan.source, index, plan.output, std::move(plain));
}

void StepArchive::SaveScatter(const Step& step) {
  executor::ScatterPlan plan = PlainOf<executor::ElementScatterStep>(step)->plan();
  fields_.Scatter(plan);
}

StepPtr StepArchive::LoadScatter(int) {
  executor::ScatterPlan plan;
  fields_.Scatter(plan);
  if (!archive_.ok()) return nullptr;
  const bool fits = fields_.DTypeOf(plan.places.source) == plan.dtype &&
                    fields_.buffers()[plan.places.output].dtype == plan.dtype &&
                    (plan.number.has_value() || fields_.DTypeOf(plan.value) == plan.dtype);
  archive_.Require(fits, "places of another type");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::ElementScatterStep>(std::move(plan));
}

// --- Python's operators on single ints.

void StepArchive::Integers(executor::IntOperation& operation,
                           std::vector<executor::OperandPlan>& operands, int& output) {
  fields_.Integers(operation, operands);
  fields_.Buffer(output);
  archive_.Require(archive_.ok() && executor::HoldsInts(fields_.buffers()[output].dtype) &&
                       fields_.RankOf(output) == 0,
                   "an operator on ints with another result");
}

void StepArchive::SaveIntegers(const Step& step) {
  const auto& integers = static_cast<const executor::IntStep&>(step);
  executor::IntOperation operation = integers.operation();
  std::vector<executor::OperandPlan> operands = integers.operands();
  int output = integers.output();
  Integers(operation, operands, output);
}

StepPtr StepArchive::LoadIntegers(int) {
  executor::IntOperation operation;
  std::vector<executor::OperandPlan> operands;
  int output = 0;
  Integers(operation, operands, output);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::IntStep>(
      std::move(operation), std::move(operands), fields_.buffers()[output].dtype, output,
      executor::MakeAbort(
          "an int that its dtype does not hold, or an operation that Python refuses"));
}

// --- Library calls, and quicker steps over them.

void StepArchive::Call(executor::LibraryCallPlan& plan) {
  const auto& calls = host_.calls;
  auto number = static_cast<int32_t>(absl::c_find(calls, plan.library_call_id) - calls.begin());
  archive_.Within<int32_t>(number, 0, static_cast<int64_t>(calls.size()),
                           "a library call that is not there");
  if (archive_.reads() && archive_.ok()) plan.library_call_id = calls[number];
  archive_.Type(plan.dtype);
  archive_.List(plan.inputs, [this](executor::OperandPlan& input) { fields_.Operand(input); });
  fields_.Buffer(plan.output);
  fields_.ScalarOrNone(plan.late);
  archive_.Flag(plan.read_on);
}

void StepArchive::SaveCall(const Step& step) {
  executor::LibraryCallPlan plan = static_cast<const executor::LibraryCallStep&>(step).plan();
  if (!absl::c_linear_search(host_.calls, plan.library_call_id) && error_.ok()) {
    error_ = absl::UnimplementedError("a library call that is not the graph's");
  }
  Call(plan);
}

StepPtr StepArchive::LoadCall(int) {
  executor::LibraryCallPlan plan;
  Call(plan);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::LibraryCallStep>(std::move(plan));
}

void StepArchive::SaveScanOverCall(const Step& step) {
  const auto& scan = static_cast<const executor::ScanStep&>(step);
  executor::ScanPlan plan = scan.plan();
  fields_.Scan(plan);
  Save(scan.host());
}

StepPtr StepArchive::LoadScanOverCall(int depth) {
  executor::ScanPlan plan;
  fields_.Scan(plan);
  std::unique_ptr<const Step> call = Load(depth + 1);
  if (!archive_.ok()) return nullptr;
  const DType dtype = fields_.buffers()[plan.output].dtype;
  archive_.Require(executor::CanScan(dtype), "a scan that no loop does");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::ScanStep>(std::move(plan), dtype, std::move(call));
}

void StepArchive::SaveExtremesOverCall(const Step& step) {
  const auto& extremes = static_cast<const executor::ArgExtremeStep&>(step);
  executor::ExtremesPlan plan;
  plan.source = extremes.source();
  plan.output = extremes.output();
  const bool is_least = extremes.find() == cpu::FindArgMin(fields_.DTypeOf(plan.source));
  plan.op = is_least ? Op::kLess : Op::kGreater;
  for (int axis = 0; axis < extremes.row_axes(); ++axis) plan.axes.push_back(axis);
  fields_.Extremes(plan);
  Save(extremes.host());
}

StepPtr StepArchive::LoadExtremesOverCall(int depth) {
  executor::ExtremesPlan plan;
  fields_.Extremes(plan);
  std::unique_ptr<const Step> call = Load(depth + 1);
  if (!archive_.ok()) return nullptr;
  const DType dtype = fields_.DTypeOf(plan.source);
  const auto find = plan.op == Op::kLess ? cpu::FindArgMin(dtype) : cpu::FindArgMax(dtype);
  archive_.Require(find != nullptr, "places of extremes that no loop finds");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::ArgExtremeStep>(find, std::move(plan.source),
                                                    static_cast<int>(plan.axes.size()), plan.output,
                                                    std::move(call));
}

void StepArchive::SaveTakeOverCall(const Step& step) {
  const auto& take = static_cast<const executor::TakeStep&>(step);
  executor::OperandPlan source = take.source(), index = take.index();
  int output = take.output();
  fields_.Operand(source);
  fields_.Operand(index);
  fields_.Buffer(output);
  Save(take.host());
}

StepPtr StepArchive::LoadTakeOverCall(int depth) {
  executor::OperandPlan source, index;
  int output = 0;
  fields_.Operand(source);
  fields_.Operand(index);
  fields_.Buffer(output);
  std::unique_ptr<const Step> call = Load(depth + 1);
  if (!archive_.ok()) return nullptr;
  archive_.Require(fields_.DTypeOf(index) == DType::kInt64 && fields_.RankOf(index) > 0 &&
                       fields_.RankOf(source) > 0 &&
                       fields_.DTypeOf(source) == fields_.buffers()[output].dtype,
                   "rows at places of another type");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::TakeStep>(std::move(source), std::move(index), output,
                                              std::move(call));
}

void StepArchive::Compress(executor::OperandPlan& source, executor::OperandPlan& mask, int& output,
                           ScalarId& late) {
  fields_.Operand(source);
  fields_.Operand(mask);
  fields_.Buffer(output);
  fields_.Scalar(late);
  if (!archive_.ok()) return;
  archive_.Require(fields_.DTypeOf(mask) == DType::kBool &&
                       fields_.DTypeOf(source) == fields_.buffers()[output].dtype &&
                       fields_.scalars().expr(late).op == ScalarOp::kDataDependent,
                   "rows of another type");
}

void StepArchive::SaveCompress(const Step& step) {
  const auto& compress = static_cast<const executor::CompressStep&>(step);
  executor::OperandPlan source = compress.source(), mask = compress.mask();
  int output = compress.output();
  ScalarId late = compress.late();
  Compress(source, mask, output, late);
}

StepPtr StepArchive::LoadCompress(int) {
  executor::OperandPlan source, mask;
  int output = 0;
  ScalarId late = kNoScalar;
  Compress(source, mask, output, late);
  // Its views must fit each other, as a mask's shape is that of the rows' first axes.
  archive_.Require(archive_.ok() && fields_.RankOf(mask) > 0 &&
                       fields_.RankOf(source) - fields_.RankOf(mask) + 1 == fields_.RankOf(output),
                   "rows of another rank");
  if (!archive_.ok()) return nullptr;
  auto host = executor::MakeElementCompress(source, mask, output, late);
  return std::make_unique<executor::CompressStep>(std::move(source), std::move(mask), output, late,
                                                  std::move(host));
}

void StepArchive::SaveCompressOverCall(const Step& step) {
  SaveCompress(step);
  Save(static_cast<const executor::CompressStep&>(step).host());
}

StepPtr StepArchive::LoadCompressOverCall(int depth) {
  executor::OperandPlan source, mask;
  int output = 0;
  ScalarId late = kNoScalar;
  Compress(source, mask, output, late);
  std::unique_ptr<const Step> call = Load(depth + 1);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::CompressStep>(std::move(source), std::move(mask), output, late,
                                                  std::move(call));
}

void StepArchive::SaveIntegersOverCall(const Step& step) {
  SaveIntegers(step);
  Save(static_cast<const executor::IntStep&>(step).host());
}

StepPtr StepArchive::LoadIntegersOverCall(int depth) {
  executor::IntOperation operation;
  std::vector<executor::OperandPlan> operands;
  int output = 0;
  Integers(operation, operands, output);
  std::unique_ptr<const Step> call = Load(depth + 1);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::IntStep>(std::move(operation), std::move(operands),
                                             fields_.buffers()[output].dtype, output,
                                             std::move(call));
}

// --- Branches and loops.

// A graph that a step runs: the numbers that it takes, and its plan as a text.
void StepArchive::Subgraph(executor::SubgraphPlan& plan, PlanLimits limits, int depth) {
  archive_.List(plan.numbers, [this](ScalarId& id) { fields_.Scalar(id); });
  std::string bytes;
  if (!archive_.reads()) {
    const auto& graph = dynamic_cast<const executor::GraphExecutor&>(*plan.graph);
    absl::StatusOr<std::string> saved = SavePlan(graph, number_of_, host_);
    if (!saved.ok() && error_.ok()) error_ = saved.status();
    if (saved.ok()) bytes = *std::move(saved);
  }
  archive_.Text(bytes);
  if (!archive_.reads() || !archive_.ok()) return;
  auto graph = LoadNested(bytes, kernels_, limits, host_, depth + 1);
  if (!graph.ok() && error_.ok()) error_ = graph.status();
  archive_.Require(graph.ok(), "a graph that a step runs");
  if (!graph.ok()) return;
  plan.scalars = (*graph)->scalars();
  plan.graph = *std::move(graph);
  archive_.Require(plan.scalars.num_inputs() == static_cast<int>(plan.numbers.size()),
                   "a graph that takes other numbers");
}

void StepArchive::ResultBuffer(int& buffer) {
  archive_.Within<int32_t>(buffer, -1, static_cast<int64_t>(fields_.buffers().size()),
                           "a buffer that is not there");
}

void StepArchive::SaveCond(const Step& step) {
  const auto& cond = static_cast<const executor::CondStep&>(step);
  executor::OperandPlan condition = cond.condition();
  std::vector<executor::OperandPlan> operands = cond.operands();
  std::vector<int> outputs = cond.outputs();
  fields_.Operand(condition);
  archive_.List(operands, [this](executor::OperandPlan& operand) { fields_.Operand(operand); });
  archive_.List(outputs, [this](int& buffer) { ResultBuffer(buffer); });
  for (executor::SubgraphPlan branch : cond.branches()) Subgraph(branch, kNoLimits, 0);
}

StepPtr StepArchive::LoadCond(int depth) {
  executor::OperandPlan condition;
  std::vector<executor::OperandPlan> operands;
  std::vector<int> outputs;
  fields_.Operand(condition);
  archive_.List(operands, [this](executor::OperandPlan& operand) { fields_.Operand(operand); });
  archive_.List(outputs, [this](int& buffer) { ResultBuffer(buffer); });
  archive_.Require(archive_.ok() && fields_.DTypeOf(condition) == DType::kBool,
                   "a condition that is no bool");
  std::vector<executor::SubgraphPlan> branches(2);
  for (executor::SubgraphPlan& branch : branches) {
    Subgraph(branch, {static_cast<int>(operands.size()), static_cast<int>(outputs.size())}, depth);
  }
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::CondStep>(std::move(condition), std::move(operands),
                                              std::move(outputs), std::move(branches));
}

// All but the graphs.
void StepArchive::Loop(executor::LoopPlan& plan) {
  archive_.List(plan.operands,
                [this](executor::OperandPlan& operand) { fields_.Operand(operand); });
  archive_.Within<uint32_t>(plan.num_constants, 0, INT32_MAX, "constants that are not there");
  archive_.Within<uint32_t>(plan.num_carries, 0, INT32_MAX, "carries that are not there");
  archive_.Flag(plan.counted);
  if (plan.counted) fields_.Operand(plan.rounds);
  fields_.ScalarOrNone(plan.length);
  archive_.Flag(plan.reverse);
  archive_.List(plan.outputs, [this](int& buffer) { ResultBuffer(buffer); });
}

void StepArchive::SaveLoop(const Step& step) {
  executor::LoopPlan plan = static_cast<const executor::LoopStep&>(step).plan();
  Loop(plan);
  bool has_condition = plan.graphs.size() > 1;
  archive_.Flag(has_condition);
  for (executor::SubgraphPlan& graph : plan.graphs) Subgraph(graph, kNoLimits, 0);
}

StepPtr StepArchive::LoadLoop(int depth) {
  executor::LoopPlan plan;
  Loop(plan);
  bool has_condition = false;
  archive_.Flag(has_condition);
  const size_t inputs = plan.operands.size(), carried = plan.num_constants + plan.num_carries;
  const bool fits =
      carried <= inputs && plan.outputs.size() > plan.num_carries &&
      (!plan.counted || (archive_.ok() && fields_.DTypeOf(plan.rounds) == DType::kInt64)) &&
      absl::c_all_of(absl::MakeSpan(plan.operands).subspan(std::min(carried, inputs)),
                     [this](const executor::OperandPlan& operand) {
                       return archive_.ok() && fields_.RankOf(operand) > 0;
                     });
  archive_.Require(fits, "a loop of other operands");
  plan.graphs.resize(has_condition ? 2 : 1);
  Subgraph(plan.graphs[0], {static_cast<int>(inputs), static_cast<int>(plan.outputs.size()) - 1},
           depth);
  if (has_condition) Subgraph(plan.graphs[1], {static_cast<int>(carried), 1}, depth);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::LoopStep>(std::move(plan));
}

// --- Library calls of programs, by functions of our own.

void StepArchive::SaveFunction(const Step& step) {
  const executor::LibraryCallPlan& plan =
      static_cast<const executor::LibraryCallStep&>(step).plan();
  const std::optional<cpu::OwnCall> call = executor::FindOwnCall(plan.library_call_id);
  if (!call && error_.ok()) error_ = absl::UnimplementedError("a call of the array library");
  if (call) SaveFunctionStep(fields_, {*call, host_.lapack, plan.inputs, plan.output});
}

StepPtr StepArchive::LoadFunction(int) {
  absl::StatusOr<StepPtr> step = LoadFunctionStep(fields_);
  if (step.ok()) return *std::move(step);
  if (error_.ok() && archive_.ok()) error_ = step.status();
  archive_.Require(false, "a function that is not there");
  return nullptr;
}

// --- Indices that arrays compute.

void StepArchive::Place(std::vector<executor::OperandPlan>& operands, int64_t& size,
                        ScalarId& number) {
  archive_.List(operands, [this](executor::OperandPlan& operand) { fields_.Operand(operand); });
  archive_.Number(size);
  fields_.Scalar(number);
}

void StepArchive::SavePlace(const Step& step) {
  executor::LibraryCallPlan plan = static_cast<const executor::LibraryCallStep&>(step).plan();
  std::optional<cpu::OwnCall> call = executor::FindOwnCall(plan.library_call_id);
  if ((!call || !cpu::GivesPlace(*call)) && error_.ok()) {
    error_ = absl::UnimplementedError("a call that defines a size");
  }
  if (call) Place(plan.inputs, call->numbers.back(), plan.late);
}

StepPtr StepArchive::LoadPlace(int) {
  std::vector<executor::OperandPlan> operands;
  int64_t size = 0;
  ScalarId number = kNoScalar;
  Place(operands, size, number);
  bool fits = operands.size() == 1 || operands.size() == 2;
  for (const executor::OperandPlan& operand : operands) {
    fits = fits && archive_.ok() && fields_.RankOf(operand) == 0 &&
           executor::HoldsInts(fields_.DTypeOf(operand));
  }
  archive_.Require(
      fits && archive_.ok() && fields_.scalars().expr(number).op == ScalarOp::kDataDependent,
      "an index that is none");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<PlaceStep>(std::move(operands), size, number);
}

}  // namespace dynacc::program
