#include "runtime/program/plan_archive.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/executor/call_steps.h"
#include "runtime/executor/control_flow_steps.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/element_steps.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/matmul_step.h"
#include "runtime/executor/reduce_step.h"
#include "runtime/executor/row_block_step.h"
#include "runtime/executor/store_step.h"
#include "runtime/program/archive.h"
#include "runtime/program/plan_fields.h"

namespace dynacc::program {
namespace {

using executor::Step;
using StepPtr = std::unique_ptr<Step>;
using NumberOf = absl::FunctionRef<int(const kernel::CompiledKernel&)>;

// Steps within steps: blocks of rows, branches and loops.
constexpr int kMaxDepth = 16;

// What is written needs no checks.
constexpr PlanLimits kNoLimits = {INT32_MAX, INT32_MAX};

// LoadPlan of a graph that a step runs.
absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadNested(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, PlanLimits limits, int depth);

class StepArchive {
 public:
  StepArchive(PlanFields& fields, NumberOf number_of, absl::Span<const BoundKernel> kernels)
      : fields_(fields), archive_(fields.archive()), number_of_(number_of), kernels_(kernels) {}

  void SaveAll(const std::vector<std::unique_ptr<const Step>>& steps);
  std::vector<std::unique_ptr<const Step>> LoadAll(int depth);

  const absl::Status& error() const { return error_; }

 private:
  // One kind of step. The place in kKinds is the kind's number in the file.
  struct Kind {
    bool (*is)(const Step& step);
    void (StepArchive::*save)(const Step& step);
    StepPtr (StepArchive::*load)(int depth);
  };
  static const Kind kKinds[];

  void SaveLaunch(const Step& step);
  StepPtr LoadLaunch(int depth);
  void SaveReduce(const Step& step);
  StepPtr LoadReduce(int depth);
  void SaveCopy(const Step& step);
  StepPtr LoadCopy(int depth);
  void SaveReshape(const Step& step);
  StepPtr LoadReshape(int depth);
  void SaveStore(const Step& step);
  StepPtr LoadStore(int depth);
  void SaveMatmul(const Step& step);
  StepPtr LoadMatmul(int depth);
  void SaveRowBlock(const Step& step);
  StepPtr LoadRowBlock(int depth);

  void SaveScan(const Step& step);
  StepPtr LoadScan(int depth);
  void SaveExtremes(const Step& step);
  StepPtr LoadExtremes(int depth);
  void SaveGather(const Step& step);
  StepPtr LoadGather(int depth);
  void SaveScatter(const Step& step);
  StepPtr LoadScatter(int depth);

  void SaveIntegers(const Step& step);
  StepPtr LoadIntegers(int depth);
  void SaveCond(const Step& step);
  StepPtr LoadCond(int depth);
  void SaveLoop(const Step& step);
  StepPtr LoadLoop(int depth);

  void Subgraph(executor::SubgraphPlan& plan, PlanLimits limits, int depth);
  void ResultBuffer(int& buffer);
  void Loop(executor::LoopPlan& plan);
  void KernelOf(executor::KernelPlan& plan);
  void Reduction(executor::ReducePlan& plan);
  void Store(executor::StorePlan& plan);
  void Matmul(executor::MatmulPlan& plan);
  void Save(const Step& step);
  std::unique_ptr<const Step> Load(int depth);
  kernel::LibraryLoop LoopFor(Op op, DType dtype);

  PlanFields& fields_;
  Archive& archive_;
  NumberOf number_of_;
  absl::Span<const BoundKernel> kernels_;
  absl::Status error_;  // other than the archive's
};

// What every step has, before what its kind has.
struct CommonFields {
  bool reports_flags = true;
  uint32_t reported_flags = 0;
  std::vector<int> releases;

  void Visit(PlanFields& fields) {
    fields.archive().Flag(reports_flags);
    fields.archive().Number(reported_flags);
    fields.archive().List(releases, [&](int& buffer) { fields.Buffer(buffer); });
  }
};

template <typename Kind>
bool Is(const Step& step) {
  return dynamic_cast<const Kind*>(&step) != nullptr;
}

kernel::LibraryLoop StepArchive::LoopFor(Op op, DType dtype) {
  const kernel::LibraryLoop loop = cpu::OwnLoop(op, dtype);
  if (!loop && error_.ok()) {
    error_ = absl::UnimplementedError(
        absl::StrCat("this library has no ", Info(op).text, " of ", Info(dtype).text));
  }
  archive_.Require(static_cast<bool>(loop), "a loop that is not there");
  return loop;
}

// --- Launches.

void StepArchive::KernelOf(executor::KernelPlan& plan) {
  int number = archive_.reads() ? 0 : number_of_(*plan.kernel);
  archive_.Within<int32_t>(number, 0,
                           archive_.reads() ? static_cast<int64_t>(kernels_.size()) : INT32_MAX,
                           "a kernel that is not there");
  fields_.Shape(plan.shape);
  archive_.Number(plan.cost);
  archive_.List(plan.inputs, [this](executor::OperandPlan& input) { fields_.Operand(input); });
  if (!archive_.reads() || !archive_.ok()) return;
  const BoundKernel& bound = kernels_[number];
  plan.kernel = bound.compiled;
  plan.input_dtypes = bound.kernel.inputs;
  for (const int output : bound.kernel.outputs) {
    plan.output_dtypes.push_back(bound.kernel.DTypeOf(output));
  }
  const bool fits = plan.inputs.size() == plan.input_dtypes.size() &&
                    bound.kernel.num_operands() <= executor::kMaxOperands;
  archive_.Require(fits, "a kernel with other operands");
  for (size_t i = 0; archive_.ok() && i < plan.inputs.size(); ++i) {
    archive_.Require(fields_.DTypeOf(plan.inputs[i]) == plan.input_dtypes[i] &&
                         fields_.RankOf(plan.inputs[i]) == plan.shape.rank,
                     "an operand that the kernel does not take");
  }
}

void StepArchive::SaveLaunch(const Step& step) {
  const auto& launch = static_cast<const executor::LaunchStep&>(step);
  executor::KernelPlan plan = launch.plan();
  std::vector<int> outputs = launch.outputs();
  KernelOf(plan);
  archive_.List(outputs, [this](int& buffer) { fields_.Buffer(buffer); });
}

StepPtr StepArchive::LoadLaunch(int) {
  executor::KernelPlan plan;
  std::vector<int> outputs;
  KernelOf(plan);
  archive_.List(outputs, [this](int& buffer) { fields_.Buffer(buffer); });
  archive_.Require(outputs.size() == plan.output_dtypes.size(), "a kernel with other results");
  for (size_t i = 0; archive_.ok() && i < outputs.size(); ++i) {
    archive_.Require(fields_.buffers()[outputs[i]].dtype == plan.output_dtypes[i] &&
                         fields_.RankOf(outputs[i]) == plan.shape.rank,
                     "a result that the kernel does not give");
  }
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::LaunchStep>(std::move(plan), std::move(outputs));
}

// --- Reductions.

void StepArchive::Reduction(executor::ReducePlan& plan) {
  archive_.Operation(plan.op);
  archive_.Type(plan.dtype);
  fields_.Shape(plan.shape);
  archive_.List(plan.axes, [&](int& axis) {
    archive_.Within<uint8_t>(axis, 0, plan.shape.rank, "an axis that is not there");
  });
  archive_.Flag(plan.keepdims);
  int identity = plan.identity.value_or(-1);
  archive_.Within<int8_t>(identity, -1, 2, "a start of a reduction that is none");
  plan.identity = identity < 0 ? std::nullopt : std::optional(identity);
  archive_.Flag(plan.by_calls);
  archive_.Flag(plan.separable);
  archive_.Flag(plan.loop_raises_flags);
  archive_.Flag(plan.producer_raises_flags);
  archive_.Within<int32_t>(plan.source_layout, -1, fields_.num_layouts(),
                           "a layout that is not there");
  fields_.Buffer(plan.output);
  bool has_producer = plan.producer.kernel != nullptr;
  archive_.Flag(has_producer);
  has_producer ? KernelOf(plan.producer) : fields_.Operand(plan.source);
}

void StepArchive::SaveReduce(const Step& step) {
  const auto& reduce = static_cast<const executor::ReduceStep&>(step);
  executor::ReducePlan plan = reduce.plan();
  Reduction(plan);
}

StepPtr StepArchive::LoadReduce(int) {
  executor::ReducePlan plan;
  Reduction(plan);
  if (!archive_.ok()) return nullptr;
  const bool has_producer = plan.producer.kernel != nullptr;
  const DType source = has_producer && !plan.producer.output_dtypes.empty()
                           ? plan.producer.output_dtypes[0]
                           : fields_.DTypeOf(plan.source);
  const int rank = has_producer ? plan.producer.shape.rank : fields_.RankOf(plan.source);
  const int kept = plan.keepdims ? rank : rank - static_cast<int>(plan.axes.size());
  const bool fits = Info(plan.op).category == OpCategory::kReduction && source == plan.dtype &&
                    rank == plan.shape.rank && absl::c_is_sorted(plan.axes) &&
                    absl::c_adjacent_find(plan.axes) == plan.axes.end() &&
                    (!has_producer || plan.producer.output_dtypes.size() == 1) &&
                    fields_.buffers()[plan.output].dtype == plan.dtype &&
                    fields_.RankOf(plan.output) == kept;
  archive_.Require(fits, "a reduction of other operands");
  plan.loop = LoopFor(plan.op, plan.dtype);
  if (!archive_.ok()) return nullptr;
  executor::FindQuickRuns(plan);
  return std::make_unique<executor::ReduceStep>(std::move(plan));
}

// --- Copies and stores.

template <typename Copy>
void SaveMoved(PlanFields& fields, const Step& step) {
  const auto& copy = static_cast<const Copy&>(step);
  executor::OperandPlan source = copy.source();
  int destination = copy.destination();
  fields.Operand(source);
  fields.Buffer(destination);
}

template <typename Copy>
StepPtr LoadMoved(PlanFields& fields, bool keeps_rank) {
  executor::OperandPlan source;
  int destination = 0;
  fields.Operand(source);
  fields.Buffer(destination);
  if (!fields.archive().ok()) return nullptr;
  fields.archive().Require(fields.DTypeOf(source) == fields.buffers()[destination].dtype &&
                               (!keeps_rank || fields.RankOf(source) == fields.RankOf(destination)),
                           "a copy of another type");
  if (!fields.archive().ok()) return nullptr;
  return std::make_unique<Copy>(std::move(source), destination);
}

void StepArchive::SaveCopy(const Step& step) { SaveMoved<executor::CopyStep>(fields_, step); }
StepPtr StepArchive::LoadCopy(int) { return LoadMoved<executor::CopyStep>(fields_, true); }
void StepArchive::SaveReshape(const Step& step) { SaveMoved<executor::ReshapeStep>(fields_, step); }
StepPtr StepArchive::LoadReshape(int) { return LoadMoved<executor::ReshapeStep>(fields_, false); }

void StepArchive::Store(executor::StorePlan& plan) {
  fields_.Operand(plan.base);
  fields_.View(plan.region);
  fields_.Buffer(plan.result);
  archive_.Flag(plan.reuse);
  archive_.Flag(plan.base_is_empty);
  bool has_part = plan.part >= 0;
  archive_.Flag(has_part);
  if (has_part) {
    if (archive_.reads()) plan.part = 0;
    fields_.Buffer(plan.part);
  } else {
    fields_.Operand(plan.value);
  }
}

void StepArchive::SaveStore(const Step& step) {
  const auto& store = static_cast<const executor::StoreStep&>(step);
  executor::StorePlan plan = store.plan();
  Store(plan);
}

StepPtr StepArchive::LoadStore(int) {
  executor::StorePlan plan;
  Store(plan);
  if (!archive_.ok()) return nullptr;
  const DType dtype = fields_.buffers()[plan.result].dtype;
  const DType stored =
      plan.part >= 0 ? fields_.buffers()[plan.part].dtype : fields_.DTypeOf(plan.value);
  const int rank = plan.part >= 0 ? fields_.RankOf(plan.part) : fields_.RankOf(plan.value);
  archive_.Require(fields_.DTypeOf(plan.base) == dtype && stored == dtype &&
                       fields_.RankOf(plan.base) == fields_.RankOf(plan.result) &&
                       plan.region.operand_rank == fields_.RankOf(plan.result) &&
                       plan.region.shape.rank == rank,
                   "a store of another type");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::StoreStep>(std::move(plan));
}

// --- Products.

void StepArchive::Matmul(executor::MatmulPlan& plan) {
  fields_.Operand(plan.a);
  fields_.Operand(plan.b);
  fields_.Shape(plan.shape);
  fields_.Scalar(plan.inner);
  fields_.Buffer(plan.output);
}

void StepArchive::SaveMatmul(const Step& step) {
  const auto& matmul = static_cast<const executor::MatmulStep&>(step);
  executor::MatmulPlan plan = matmul.plan();
  bool apart = matmul.apart();
  Matmul(plan);
  archive_.Flag(apart);
}

StepPtr StepArchive::LoadMatmul(int) {
  executor::MatmulPlan plan = {};
  bool apart = false;
  Matmul(plan);
  archive_.Flag(apart);
  if (!archive_.ok()) return nullptr;
  const DType dtype = fields_.buffers()[plan.output].dtype;
  const int rank = fields_.RankOf(plan.output);
  archive_.Require(fields_.DTypeOf(plan.a) == dtype && fields_.DTypeOf(plan.b) == dtype &&
                       rank >= 2 && plan.shape.rank == rank && fields_.RankOf(plan.a) >= 2 &&
                       fields_.RankOf(plan.b) >= 2 && fields_.RankOf(plan.a) <= rank &&
                       fields_.RankOf(plan.b) <= rank,
                   "a product of other operands");
  plan.loop = LoopFor(Op::kMatmul, dtype);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::MatmulStep>(std::move(plan), apart);
}

// --- Blocks of rows.

void StepArchive::SaveRowBlock(const Step& step) {
  const auto& block = static_cast<const executor::RowBlockStep&>(step);
  std::vector<ScalarId> rows = block.rows();
  std::vector<int> locals = block.locals();
  archive_.List(rows, [this](ScalarId& id) { fields_.Scalar(id); });
  archive_.List(locals, [this](int& buffer) { fields_.Buffer(buffer); });
  SaveAll(block.steps());
}

// The single steps of `steps`, those of blocks in their places.
void AddStages(const std::vector<std::unique_ptr<const Step>>& steps,
               std::vector<const Step*>& stages) {
  for (const auto& step : steps) {
    const auto* const block = dynamic_cast<const executor::RowBlockStep*>(step.get());
    if (block != nullptr) {
      AddStages(block->steps(), stages);
    } else {
      stages.push_back(step.get());
    }
  }
}

StepPtr StepArchive::LoadRowBlock(int depth) {
  std::vector<ScalarId> rows;
  std::vector<int> locals;
  archive_.List(rows, [this](ScalarId& id) { fields_.Scalar(id); });
  archive_.List(locals, [this](int& buffer) { fields_.Buffer(buffer); });
  std::vector<std::unique_ptr<const Step>> steps = LoadAll(depth + 1);
  std::vector<const Step*> stages;
  if (archive_.ok()) AddStages(steps, stages);
  const bool fits =
      !rows.empty() && !stages.empty() && absl::c_all_of(stages, [&](const Step* step) {
        return step->row_stage() != nullptr &&
               step->row_stage()->iteration().rank >= static_cast<int>(rows.size());
      });
  archive_.Require(fits, "a block of rows of other steps");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::RowBlockStep>(std::move(steps), std::move(stages),
                                                  std::move(rows), std::move(locals));
}

// --- Steps element by element, and the quicker ones in their places, which they are the host of.

template <typename Plain>
const Plain* PlainOf(const Step& step) {
  const auto* const quick = dynamic_cast<const executor::CallStep*>(&step);
  return dynamic_cast<const Plain*>(quick == nullptr ? &step : &quick->host());
}

template <typename Plain>
bool IsPlain(const Step& step) {
  return PlainOf<Plain>(step) != nullptr;
}

// Reads or writes whether the step is the quicker one.
bool Quick(Archive& archive, const Step* step) {
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
  return std::make_unique<executor::ScanStep>(plan.op == Op::kMultiply, dtype, plan.source,
                                              plan.axis, plan.output, std::move(plain));
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

void StepArchive::SaveIntegers(const Step& step) {
  const auto& integers = static_cast<const executor::IntStep&>(step);
  executor::IntOperation operation = integers.operation();
  std::vector<executor::OperandPlan> operands = integers.operands();
  int output = integers.output();
  fields_.Integers(operation, operands);
  fields_.Buffer(output);
}

StepPtr StepArchive::LoadIntegers(int) {
  executor::IntOperation operation;
  std::vector<executor::OperandPlan> operands;
  int output = 0;
  fields_.Integers(operation, operands);
  fields_.Buffer(output);
  if (!archive_.ok()) return nullptr;
  const DType result = fields_.buffers()[output].dtype;
  archive_.Require(executor::HoldsInts(result) && fields_.RankOf(output) == 0,
                   "an operator on ints with another result");
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::IntStep>(
      std::move(operation), std::move(operands), result, output,
      executor::MakeAbort(
          "an int that its dtype does not hold, or an operation that Python refuses"));
}

// --- Branches and loops.

// A graph that a step runs: the numbers that it takes, and its plan as a text.
void StepArchive::Subgraph(executor::SubgraphPlan& plan, PlanLimits limits, int depth) {
  archive_.List(plan.numbers, [this](ScalarId& id) { fields_.Scalar(id); });
  std::string bytes;
  if (!archive_.reads()) {
    const auto& graph = dynamic_cast<const executor::GraphExecutor&>(*plan.graph);
    absl::StatusOr<std::string> saved = SavePlan(graph, number_of_);
    if (!saved.ok() && error_.ok()) error_ = saved.status();
    if (saved.ok()) bytes = *std::move(saved);
  }
  archive_.Text(bytes);
  if (!archive_.reads() || !archive_.ok()) return;
  auto graph = LoadNested(bytes, kernels_, limits, depth + 1);
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

// --- All kinds.

// New ones come last: a kind's number is part of the format.
const StepArchive::Kind StepArchive::kKinds[] = {
    {Is<executor::LaunchStep>, &StepArchive::SaveLaunch, &StepArchive::LoadLaunch},
    {Is<executor::ReduceStep>, &StepArchive::SaveReduce, &StepArchive::LoadReduce},
    {Is<executor::CopyStep>, &StepArchive::SaveCopy, &StepArchive::LoadCopy},
    {Is<executor::ReshapeStep>, &StepArchive::SaveReshape, &StepArchive::LoadReshape},
    {Is<executor::StoreStep>, &StepArchive::SaveStore, &StepArchive::LoadStore},
    {Is<executor::MatmulStep>, &StepArchive::SaveMatmul, &StepArchive::LoadMatmul},
    {Is<executor::RowBlockStep>, &StepArchive::SaveRowBlock, &StepArchive::LoadRowBlock},
    {IsPlain<executor::ElementScanStep>, &StepArchive::SaveScan, &StepArchive::LoadScan},
    {IsPlain<executor::ElementExtremesStep>, &StepArchive::SaveExtremes,
     &StepArchive::LoadExtremes},
    {IsPlain<executor::ElementGatherStep>, &StepArchive::SaveGather, &StepArchive::LoadGather},
    {IsPlain<executor::ElementScatterStep>, &StepArchive::SaveScatter, &StepArchive::LoadScatter},
    {Is<executor::IntStep>, &StepArchive::SaveIntegers, &StepArchive::LoadIntegers},
    {Is<executor::CondStep>, &StepArchive::SaveCond, &StepArchive::LoadCond},
    {Is<executor::LoopStep>, &StepArchive::SaveLoop, &StepArchive::LoadLoop},
};

void StepArchive::Save(const Step& step) {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (!kKinds[i].is(step)) continue;
    auto number = static_cast<uint8_t>(i);
    archive_.Number(number);
    CommonFields{step.reports_flags, step.reported_flags, step.releases}.Visit(fields_);
    return (this->*kKinds[i].save)(step);
  }
  if (error_.ok()) error_ = absl::UnimplementedError("a step that no file has a form for");
}

void StepArchive::SaveAll(const std::vector<std::unique_ptr<const Step>>& steps) {
  auto count = static_cast<uint32_t>(steps.size());
  archive_.Number(count);
  for (const auto& step : steps) Save(*step);
}

std::unique_ptr<const Step> StepArchive::Load(int depth) {
  uint8_t number = 0;
  archive_.Number(number);
  archive_.Require(number < std::size(kKinds) && depth < kMaxDepth, "a step of an unknown kind");
  CommonFields common;
  common.Visit(fields_);
  if (!archive_.ok()) return nullptr;
  StepPtr step = (this->*kKinds[number].load)(depth);
  if (step == nullptr) return nullptr;
  step->reports_flags = common.reports_flags;
  step->reported_flags = common.reported_flags;
  step->releases = std::move(common.releases);
  return step;
}

std::vector<std::unique_ptr<const Step>> StepArchive::LoadAll(int depth) {
  std::vector<std::unique_ptr<const Step>> steps;
  uint32_t count = 0;
  archive_.Number(count);
  for (uint32_t i = 0; i < count && archive_.ok(); ++i) steps.push_back(Load(depth));
  if (!archive_.ok()) steps.clear();
  return steps;
}

// Everything that comes before the steps.
struct PlanParts {
  ScalarProgram scalars;
  std::vector<executor::LayoutStep> layouts;
  std::vector<executor::BufferPlan> buffers;
  std::vector<ScalarId> conditions;

  void Visit(PlanFields& fields) {
    fields.Scalars(scalars);
    fields.Layouts(layouts);
    fields.Buffers(buffers);
    fields.archive().List(conditions, [&](ScalarId& id) { fields.Scalar(id); });
  }
};

absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadNested(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, PlanLimits limits, int depth) {
  Archive archive(bytes);
  PlanFields fields(archive, limits);
  PlanParts parts;
  parts.Visit(fields);
  StepArchive archive_of_steps(
      fields, [](const kernel::CompiledKernel&) { return 0; }, kernels);
  std::vector<std::unique_ptr<const Step>> steps = archive_of_steps.LoadAll(depth);
  DYNACC_RETURN_IF_ERROR(archive_of_steps.error());
  archive.Require(archive.AtEnd(), "more bytes than a plan has");
  DYNACC_RETURN_IF_ERROR(archive.status(), "plan");
  return std::make_unique<const executor::GraphExecutor>(
      std::move(parts.buffers), std::move(steps), std::vector<executor::WriteBackPlan>(),
      std::move(parts.scalars), std::string(), executor::LayoutProgram(std::move(parts.layouts)),
      nullptr, std::move(parts.conditions));
}

}  // namespace

absl::StatusOr<std::string> SavePlan(const executor::GraphExecutor& graph, NumberOf number_of) {
  if (!graph.write_backs().empty()) {
    return absl::UnimplementedError("results that are written into the arguments");
  }
  Archive archive;
  PlanFields fields(archive, kNoLimits);
  PlanParts parts = {graph.scalars(), graph.layouts().steps(), graph.buffers(),
                     graph.data_dependent_conditions()};
  parts.Visit(fields);
  StepArchive steps(fields, number_of, {});
  steps.SaveAll(graph.steps());
  DYNACC_RETURN_IF_ERROR(steps.error());
  return archive.written();
}

absl::StatusOr<std::unique_ptr<const executor::GraphExecutor>> LoadPlan(
    absl::string_view bytes, absl::Span<const BoundKernel> kernels, int num_inputs,
    int num_outputs) {
  return LoadNested(bytes, kernels, {num_inputs, num_outputs}, 0);
}

}  // namespace dynacc::program
