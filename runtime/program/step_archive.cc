#include "runtime/program/step_archive.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/executor/call_steps.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/row_block_step.h"
#include "runtime/executor/window_matmul_step.h"

namespace dynacc::program {

using executor::Step;

// Steps within steps: blocks of rows, branches and loops, steps over library calls.
static constexpr int kMaxDepth = 16;

namespace {

// What every step has, before what its kind has.
struct CommonFields {
  bool reports_flags = true;
  uint32_t reported_flags = 0;
  std::vector<int> releases;
  int group = -1;  // of kept plans

  void Visit(PlanFields& fields, const PlanHost& host) {
    fields.archive().Flag(reports_flags);
    fields.archive().Number(reported_flags);
    fields.archive().List(releases, [&](int& buffer) { fields.Buffer(buffer); });
    if (host.is_kept) fields.archive().Number(group);
  }
};

template <typename Kind>
bool Is(const Step& step) {
  return dynamic_cast<const Kind*>(&step) != nullptr;
}

}  // namespace

kernel::LibraryLoop StepArchive::LoopFor(Op op, DType dtype) {
  const kernel::LibraryLoop loop = host_.find_loop(op, dtype);
  if (!loop && error_.ok()) {
    error_ = absl::UnimplementedError(
        absl::StrCat("there is no loop for ", Info(op).text, " of ", Info(dtype).text));
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
  plan.work = executor::WorkOf(bound.kernel);
  plan.input_dtypes = bound.kernel.inputs;
  for (const int output : bound.kernel.outputs) {
    plan.output_dtypes.push_back(bound.kernel.DTypeOf(output));
  }
  const bool fits = plan.inputs.size() == plan.input_dtypes.size() &&
                    bound.kernel.num_operands() <= executor::kMaxOperands;
  archive_.Require(fits, "a kernel with other operands");
  for (size_t i = 0; archive_.ok() && i < plan.inputs.size(); ++i) {
    const executor::OperandPlan& input = plan.inputs[i];
    archive_.Require(
        fields_.DTypeOf(input) == plan.input_dtypes[i] && fields_.RankOf(input) == plan.shape.rank,
        "an operand that the kernel does not take");
    plan.input_is_number.push_back(fields_.buffers()[input.buffer].kind ==
                                   executor::BufferKind::kScalar);
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
static void SaveMoved(PlanFields& fields, const Step& step) {
  const auto& copy = static_cast<const Copy&>(step);
  executor::OperandPlan source = copy.source();
  int destination = copy.destination();
  fields.Operand(source);
  fields.Buffer(destination);
}

template <typename Copy>
static StepPtr LoadMoved(PlanFields& fields, bool keeps_rank) {
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

bool StepArchive::IsContracted(const Step& step) const {
  const auto* const matmul = dynamic_cast<const executor::MatmulStep*>(&step);
  return host_.contracts && matmul != nullptr &&
         cpu::ContractedMatmul(fields_.buffers()[matmul->plan().output].dtype);
}

StepPtr StepArchive::LoadMatmul(int) { return LoadProduct(false); }
StepPtr StepArchive::LoadContractedMatmul(int) { return LoadProduct(true); }

kernel::LibraryLoop StepArchive::ProductLoop(DType dtype, bool is_contracted) {
  kernel::LibraryLoop loop =
      is_contracted ? cpu::ContractedMatmul(dtype) : LoopFor(Op::kMatmul, dtype);
  archive_.Require(static_cast<bool>(loop), "a product of a type that has none");
  return loop;
}

StepPtr StepArchive::LoadProduct(bool is_contracted) {
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
  plan.loop = ProductLoop(dtype, is_contracted);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::MatmulStep>(std::move(plan), apart);
}

void StepArchive::SaveWindowMatmul(const Step& step) {
  executor::MatmulPlan plan = static_cast<const executor::WindowMatmulStep&>(step).plan();
  bool is_contracted =
      host_.contracts && cpu::ContractedMatmul(fields_.buffers()[plan.output].dtype);
  Matmul(plan);
  archive_.Flag(is_contracted);
}

StepPtr StepArchive::LoadWindowMatmul(int) {
  executor::MatmulPlan plan = {};
  bool is_contracted = false;
  Matmul(plan);
  archive_.Flag(is_contracted);
  if (!archive_.ok()) return nullptr;
  const DType dtype = fields_.buffers()[plan.output].dtype;
  const int rank = fields_.RankOf(plan.output);
  archive_.Require(fields_.DTypeOf(plan.a) == dtype && fields_.DTypeOf(plan.b) == dtype &&
                       rank >= 2 && plan.shape.rank == rank && fields_.RankOf(plan.b) == 2,
                   "a product of other windows");
  if (!archive_.ok()) return nullptr;
  plan.loop = ProductLoop(dtype, is_contracted);
  if (!archive_.ok()) return nullptr;
  return std::make_unique<executor::WindowMatmulStep>(std::move(plan));
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
static void AddStages(const std::vector<std::unique_ptr<const Step>>& steps,
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
// --- All kinds.

// Whether the step is a quicker one over a library call.
static bool HasCall(const Step& step) {
  const auto* const quick = dynamic_cast<const executor::CallStep*>(&step);
  return quick != nullptr && Is<executor::LibraryCallStep>(quick->host());
}

template <typename Quick>
static bool IsOverCall(const Step& step) {
  return Is<Quick>(step) && HasCall(step);
}

template <typename Plain>
static bool IsPlain(const Step& step) {
  const auto* const quick = dynamic_cast<const executor::CallStep*>(&step);
  return Is<Plain>(quick == nullptr ? step : quick->host());
}

static bool IsIntegers(const Step& step) { return Is<executor::IntStep>(step) && !HasCall(step); }

// A call that defines no number of the run.
static bool IsFunction(const Step& step) {
  const auto* const call = dynamic_cast<const executor::LibraryCallStep*>(&step);
  return call != nullptr && call->plan().late == kNoScalar;
}

// New ones come last: a kind's number is part of the format. Behind them are those of kept plans,
// whose numbers are this build's.
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
    {IsIntegers, &StepArchive::SaveIntegers, &StepArchive::LoadIntegers},
    {Is<executor::CondStep>, &StepArchive::SaveCond, &StepArchive::LoadCond},
    {Is<executor::LoopStep>, &StepArchive::SaveLoop, &StepArchive::LoadLoop},
    {Is<executor::LibraryCallStep>, &StepArchive::SaveCall, &StepArchive::LoadCall, true},
    {IsOverCall<executor::ScanStep>, &StepArchive::SaveScanOverCall, &StepArchive::LoadScanOverCall,
     true},
    {IsOverCall<executor::ArgExtremeStep>, &StepArchive::SaveExtremesOverCall,
     &StepArchive::LoadExtremesOverCall, true},
    {IsOverCall<executor::TakeStep>, &StepArchive::SaveTakeOverCall, &StepArchive::LoadTakeOverCall,
     true},
    {IsOverCall<executor::CompressStep>, &StepArchive::SaveCompressOverCall,
     &StepArchive::LoadCompressOverCall, true},
    {IsOverCall<executor::IntStep>, &StepArchive::SaveIntegersOverCall,
     &StepArchive::LoadIntegersOverCall, true},
    {IsFunction, &StepArchive::SaveFunction, &StepArchive::LoadFunction},
    {nullptr, &StepArchive::SaveMatmul, &StepArchive::LoadContractedMatmul},  // IsContracted
    {Is<executor::WindowMatmulStep>, &StepArchive::SaveWindowMatmul,
     &StepArchive::LoadWindowMatmul},
    {Is<executor::LibraryCallStep>, &StepArchive::SavePlace, &StepArchive::LoadPlace},
    {Is<executor::CompressStep>, &StepArchive::SaveCompress, &StepArchive::LoadCompress},
};

void StepArchive::Save(const Step& step) {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    const Kind& kind = kKinds[i];
    const bool fits = IsContracted(step) ? kind.is == nullptr : kind.is != nullptr && kind.is(step);
    if (!fits || (kind.is_kept_only && !host_.is_kept)) continue;
    auto number = static_cast<uint8_t>(i);
    archive_.Number(number);
    CommonFields{step.reports_flags, step.reported_flags, step.releases, step.group}.Visit(fields_,
                                                                                           host_);
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
  archive_.Require(number < std::size(kKinds) && depth < kMaxDepth &&
                       (host_.is_kept || !kKinds[number].is_kept_only),
                   "a step of an unknown kind");
  CommonFields common;
  common.Visit(fields_, host_);
  if (!archive_.ok()) return nullptr;
  StepPtr step = (this->*kKinds[number].load)(depth);
  if (step == nullptr) return nullptr;
  step->reports_flags = common.reports_flags;
  step->reported_flags = common.reported_flags;
  step->releases = std::move(common.releases);
  step->group = common.group;
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

}  // namespace dynacc::program
