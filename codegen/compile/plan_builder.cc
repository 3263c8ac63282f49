#include "codegen/compile/plan_builder.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/compile/donation.h"
#include "codegen/compile/layout_builder.h"
#include "codegen/compile/store_placement.h"
#include "codegen/compile/structural_steps.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/matmul_attrs.h"
#include "runtime/base/check.h"
#include "runtime/base/name_list.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/onednn_matmul_step.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/matmul_step.h"
#include "runtime/executor/reduce_step.h"
#include "runtime/executor/row_block_step.h"
#include "runtime/executor/store_step.h"
#include "runtime/executor/window_matmul_step.h"

namespace dynacc::compile {
namespace {

// What reductions start with; maximum and minimum start with the first element.
struct IdentityRow {
  Op op;
  int identity;
};
constexpr IdentityRow kIdentities[] = {
    {Op::kReduceSum, 0}, {Op::kReduceProd, 1}, {Op::kReduceAny, 0}, {Op::kReduceAll, 1}};

std::optional<int> IdentityOf(Op op) {
  for (const IdentityRow& row : kIdentities) {
    if (row.op == op) return row.identity;
  }
  return std::nullopt;
}

// Where a Store puts its value, as a view of its result.
executor::ViewPlan PlanRegion(const ir::Node* store) {
  return PlanView(store, store->operands[1]->shape);
}

// Whether reading `node` may mean reading the memory of an input that is in `targets`.
bool MayLieIn(const ir::Node* node, absl::Span<const ir::Node* const> targets) {
  while (schedule::IsOnlySeenThrough(node) || node->op == Op::kReshape) node = node->operands[0];
  return std::find(targets.begin(), targets.end(), node) != targets.end();
}

// A temporary of the node's dtype and shape.
executor::BufferPlan PlanBuffer(const ir::Node* node) {
  executor::BufferPlan plan;
  plan.dtype = node->dtype;
  plan.shape = PlanShape(node->shape);
  return plan;
}

// Whether a library's loop reads the kernel's input where it is.
bool IsGivenToLibrary(const kernel::Kernel& kernel, int input) {
  return absl::c_any_of(kernel.steps, [input](const kernel::KernelStep& step) {
    return step.library && (step.a == input || step.b == input || step.c == input);
  });
}

absl::StatusOr<kernel::LibraryLoop> LoopFor(const ir::Node* node, DType dtype) {
  const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(node->op), dtype);
  if (loop) return loop;
  return absl::UnimplementedError(
      absl::StrCat("no library loop for ", Info(node->op).text, " on ", Info(dtype).text));
}

class PlanBuilder {
 public:
  PlanBuilder(const ir::Graph& graph, const ir::Graph& traced, const schedule::Schedule& schedule,
              std::vector<std::shared_ptr<const kernel::CompiledKernel>> kernels,
              const CompiledSubgraphs& subgraphs,
              std::shared_ptr<const targets::DeviceModule> device)
      : graph_(graph),
        traced_(traced),
        schedule_(schedule),
        kernels_(std::move(kernels)),
        subgraphs_(subgraphs),
        device_(std::move(device)),
        layouts_(traced),
        placement_(graph, schedule) {}

  absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> Build(
      std::vector<emit::LoweredKernel> lowered, std::string description) {
    DYNACC_RETURN_IF_ERROR(CheckRanks());
    AddLeaves();
    for (size_t i = 0; i < schedule_.groups.size(); ++i) {
      group_ = static_cast<int>(i);
      reported_ =
          HardwareFlagsOf(schedule::ReportedErrors(graph_, schedule_.groups[i]).value_or(0));
      first_step_.push_back(static_cast<int>(steps_.size()));
      DYNACC_RETURN_IF_ERROR(AddGroup(schedule_.groups[i], lowered[i]));
      DYNACC_RETURN_IF_ERROR(schedule_error_);
    }
    first_step_.push_back(static_cast<int>(steps_.size()));
    in_groups_ = false;
    for (const schedule::OutputCopy& copy : schedule_.copies) AddCopy(copy);
    for (const schedule::WriteBack& part : schedule_.write_backs) AddWriteBack(part);
    DYNACC_RETURN_IF_ERROR(schedule_error_);
    FindLastUses();
    if (MayDonate()) {
      PlanDonations(uses_, buffers_);
      absl::StrAppend(&description, DonationText());
    }
    PlanReleases();
    std::vector<std::unique_ptr<const executor::Step>> steps = TakeSteps();
    std::vector<ScalarId> conditions(graph_.conditions().begin(), graph_.conditions().end());
    return std::make_shared<executor::GraphExecutor>(
        std::move(buffers_), std::move(steps), std::move(write_backs_), graph_.scalars(),
        std::move(description), layouts_.Finish(),
        device_ == nullptr ? nullptr : device_->offload(), std::move(conditions));
  }

 private:
  absl::Status CheckRanks() const {
    for (const ir::Node* node : graph_.nodes()) {
      if (node->rank() > kMaxRank) {
        return absl::UnimplementedError(absl::StrCat("an array of rank ", node->rank()));
      }
    }
    return absl::OkStatus();
  }

  int AddBuffer(const executor::BufferPlan& plan) {
    buffers_.push_back(plan);
    return static_cast<int>(buffers_.size()) - 1;
  }

  void AddLeaves() {
    for (const ir::Node* node : graph_.nodes()) {
      if (Info(node->op).category != OpCategory::kLeaf) continue;
      executor::BufferPlan plan = PlanBuffer(node);
      if (node->op == Op::kInput) {
        plan.kind = executor::BufferKind::kInput;
        plan.index = static_cast<int>(node->attrs.ints[0]);
      } else {
        plan.kind = executor::BufferKind::kScalar;
        const ir::Number number = ir::NumberOf(*node);
        plan.scalar = number.real;
        plan.scalar_type = graph_.scalars().expr(number.real).type;
        plan.imag = number.imag;
        if (number.is_complex()) plan.imag_type = graph_.scalars().expr(number.imag).type;
      }
      buffer_of_[node] = AddBuffer(plan);
    }
  }

  // The buffer that `node`, computed by a group, is stored in.
  int AddResult(const ir::Node* node) {
    executor::BufferPlan plan = PlanBuffer(node);
    const int output = schedule::FreshOutputOf(graph_, LastStoreInto(node));
    if (output >= 0 && node->op != Op::kReshape) {
      plan.kind = executor::BufferKind::kOutput;
      plan.index = output;
    }
    plan.layout = plan.kind == executor::BufferKind::kOutput
                      ? layouts_.StepOf(traced_.outputs()[plan.index])
                      : layouts_.StepOfOrigin(node);
    return buffer_of_[node] = AddBuffer(plan);
  }

  // The last of a chain of Stores, each into the one before, which nothing else reads.
  const ir::Node* LastStoreInto(const ir::Node* node) const {
    while (node->op == Op::kStore) {
      const ir::Node* const next = placement_.OnlyStoreInto(node);
      if (next == nullptr) break;
      node = next;
    }
    return node;
  }

  // Whether the place of the Store may become known after its value is computed.
  bool HasDataDependentPlace(const ir::Node* store) const {
    return absl::c_any_of(store->attrs.scalars,
                          [this](ScalarId id) { return graph_.scalars().Level(id) > 0; });
  }

  // The Store in whose result the next kernel may compute `node`: its base must be there already.
  const ir::Node* StoreToComputeIn(const ir::Node* node) const {
    if (device_ != nullptr && !device_->HasLaunch(group_)) return nullptr;
    const ir::Node* const store = placement_.StoreOf(node);
    const bool ready =
        store != nullptr && buffer_of_.contains(schedule::BaseOf(store->operands[0]));
    return ready && !HasDataDependentPlace(store) ? store : nullptr;
  }

  // A buffer for `node` that lies in another one's memory.
  int AddAlias(const ir::Node* node) { return buffer_of_[node] = AddBuffer(PlanBuffer(node)); }

  int AddPart(const ir::Node* node, const ir::Node* store) {
    executor::BufferPlan plan = PlanBuffer(node);
    plan.kind = executor::BufferKind::kPart;
    const int part = AddBuffer(plan);
    AppendStore(store, part);
    uses_.aliases.emplace_back(part, buffer_of_[store]);
    return buffer_of_[node] = part;
  }

  // As OperandFor, of an elementwise kernel.
  executor::OperandPlan KernelOperandFor(const ir::Node* node) {
    if (node->op != Op::kRoll) return OperandFor(node);
    executor::OperandPlan operand = OperandFor(node->operands[0]);
    uses_.all.back().access = BufferAccess::kReadsElse;
    operand.shifts.assign(node->attrs.scalars.begin(), node->attrs.scalars.end());
    return operand;
  }

  // Of the step that is appended next.
  void AddUse(int buffer, BufferAccess access) {
    uses_.all.push_back({buffer, static_cast<int>(steps_.size()), access});
  }

  executor::OperandPlan OperandFor(const ir::Node* node) {
    executor::OperandPlan operand;
    for (; node->op == Op::kView; node = node->operands[0]) {
      operand.views.push_back(PlanView(node, node->shape));
    }
    std::reverse(operand.views.begin(), operand.views.end());
    const auto it = buffer_of_.find(node);
    // A hole in the schedule: Build fails and the program runs without this graph.
    if (it == buffer_of_.end()) {
      schedule_error_ = absl::InternalError(
          absl::StrCat("node ", node->id, " (", Info(node->op).text, ") is read but not stored"));
      return operand;
    }
    operand.buffer = it->second;
    AddUse(operand.buffer, operand.views.empty() ? BufferAccess::kReads : BufferAccess::kReadsElse);
    return operand;
  }

  executor::KernelPlan PlanKernel(const emit::LoweredKernel& lowered) {
    executor::KernelPlan plan;
    plan.kernel = kernels_[next_kernel_++];
    plan.shape = PlanShape(lowered.outputs[0]->shape);
    plan.input_dtypes = lowered.kernel.inputs;
    plan.cost = lowered.cost;
    plan.work = executor::WorkOf(lowered.kernel);
    for (const ir::Node* input : lowered.inputs) {
      const int value = static_cast<int>(plan.inputs.size());
      plan.inputs.push_back(KernelOperandFor(input));
      const executor::BufferPlan& buffer = buffers_[plan.inputs.back().buffer];
      plan.input_is_number.push_back(buffer.kind == executor::BufferKind::kScalar);
      if (IsGivenToLibrary(lowered.kernel, value)) {
        AddUse(plan.inputs.back().buffer, BufferAccess::kGives);
      }
    }
    for (const int output : lowered.kernel.outputs) {
      plan.output_dtypes.push_back(lowered.kernel.DTypeOf(output));
    }
    return plan;
  }

  absl::Status AddGroup(const schedule::Group& group, const emit::LoweredKernel& lowered) {
    using Adder = absl::Status (PlanBuilder::*)(const schedule::Group&, const emit::LoweredKernel&);
    // By GroupKind.
    constexpr Adder kAdders[] = {&PlanBuilder::AddElementwise, &PlanBuilder::AddReduction,
                                 &PlanBuilder::AddReshape,     &PlanBuilder::AddMatmul,
                                 &PlanBuilder::AddLibraryCall, &PlanBuilder::AddStore};
    static_assert(std::size(kAdders) == static_cast<size_t>(schedule::GroupKind::kStore) + 1);
    return (this->*kAdders[static_cast<int>(group.kind)])(group, lowered);
  }

  absl::Status AddElementwise(const schedule::Group&, const emit::LoweredKernel& lowered) {
    std::vector<const ir::Node*> stores;
    for (const ir::Node* node : lowered.outputs) stores.push_back(StoreToComputeIn(node));
    std::vector<int> outputs;  // before the kernel, as steps of Stores run before its own
    for (size_t i = 0; i < stores.size(); ++i) {
      const ir::Node* const node = lowered.outputs[i];
      outputs.push_back(stores[i] == nullptr ? AddResult(node) : AddPart(node, stores[i]));
    }
    executor::KernelPlan plan = PlanKernel(lowered);
    std::unique_ptr<executor::Step> step;
    if (device_ != nullptr) step = device_->MakeLaunch(group_, plan, outputs);
    if (step == nullptr) {
      step = std::make_unique<executor::LaunchStep>(std::move(plan), outputs);
      step->reports_flags = lowered.may_raise_flags;
    }
    Append(std::move(step), outputs, BufferAccess::kComputes);
    return absl::OkStatus();
  }

  absl::Status AddReduction(const schedule::Group& group, const emit::LoweredKernel& lowered) {
    const ir::Node* node = group.root();
    executor::ReducePlan plan;
    plan.op = node->op;
    plan.dtype = node->dtype;
    DYNACC_ASSIGN_OR_RETURN(plan.loop, LoopFor(node, plan.dtype));
    plan.axes.assign(node->attrs.ints.begin(), node->attrs.ints.end());
    plan.shape = PlanShape(node->operands[0]->shape);
    plan.keepdims = node->attrs.keepdims;
    plan.identity = IdentityOf(node->op);
    // Sums of halves are added up in float and rounded once a chunk.
    plan.separable = plan.identity.has_value() && plan.dtype != DType::kFloat16 &&
                     (node->op == Op::kReduceSum || !IsInexact(plan.dtype));
    plan.by_calls = IsInexact(plan.dtype) && node->op != Op::kReduceProd;
    executor::FindQuickRuns(plan);
    plan.loop_raises_flags = schedule::MayRaiseFlags(node);
    plan.producer_raises_flags = lowered.may_raise_flags;
    if (lowered.kernel.steps.empty()) {
      plan.source = OperandFor(node->operands[0]);
    } else {
      plan.producer = PlanKernel(lowered);
    }
    plan.source_layout = layouts_.StepOfSource(node);
    const int output = plan.output = AddResult(node);
    std::unique_ptr<executor::Step> step;
    // A device adds in the order of NumPy's chunks.
    const bool for_host = plan.by_calls && executor::HasGrowingCalls();
    if (device_ != nullptr && !for_host) step = device_->MakeReduction(group_, plan);
    if (step == nullptr) {
      const bool reports = plan.loop_raises_flags || plan.producer_raises_flags;
      step = std::make_unique<executor::ReduceStep>(std::move(plan));
      step->reports_flags = reports;
    }
    Append(std::move(step), {output});
    return absl::OkStatus();
  }

  absl::Status AddReshape(const schedule::Group& group, const emit::LoweredKernel&) {
    const ir::Node* node = group.root();
    executor::OperandPlan source = OperandFor(node->operands[0]);
    const int source_buffer = source.buffer;
    const int buffer = AddResult(node);
    std::unique_ptr<executor::Step> step;
    if (device_ != nullptr) step = device_->MakeReshape(source, buffer);
    if (step == nullptr) step = std::make_unique<executor::ReshapeStep>(std::move(source), buffer);
    step->reports_flags = false;
    Append(std::move(step), {buffer});
    // The result may be the source's memory: reading it keeps the source alive.
    uses_.aliases.emplace_back(buffer, source_buffer);
    return absl::OkStatus();
  }

  absl::Status AddMatmul(const schedule::Group& group, const emit::LoweredKernel&) {
    const ir::Node* node = group.nodes.front();
    DYNACC_ASSIGN_OR_RETURN(const kernel::LibraryLoop loop, LoopFor(node, node->dtype));
    // What the library takes as it is need not be there as the node has it.
    const auto operand = [&](int i) {
      return OperandFor(group.taken[i] != nullptr ? group.taken[i] : node->operands[i]);
    };
    executor::OperandPlan a = operand(0);
    executor::OperandPlan b = operand(1);
    // The right one as a whole for each row.
    AddUse(b.buffer, BufferAccess::kReadsElse);
    if (group.has_windows) AddUse(a.buffer, BufferAccess::kReadsElse);
    const int buffer = AddResult(group.root());
    const bool apart = ir::MatmulHas(node, ir::kMatmulApart);
    std::unique_ptr<executor::Step> step;
    if (device_ != nullptr) step = device_->MakeMatmul(node->dtype, a, b, buffer);
    if (step == nullptr) {
      executor::MatmulPlan plan{
          loop, a, b, PlanShape(node->shape), node->operands[0]->shape.back(), buffer};
      if (group.has_windows && !group.by_library) {
        step = std::make_unique<executor::WindowMatmulStep>(std::move(plan));
      } else {
        step = std::make_unique<executor::MatmulStep>(std::move(plan), apart);
      }
      if (group.by_library) step = MakeLibraryMatmul(group, a, b, buffer, loop, std::move(step));
      step->reports_flags = absl::c_any_of(group.nodes, schedule::MayRaiseFlags);
    }
    Append(std::move(step), {buffer});
    return absl::OkStatus();
  }

  // The product and its epilogue; `plain`: the product alone by the array library.
  std::unique_ptr<executor::Step> MakeLibraryMatmul(const schedule::Group& group,
                                                    const executor::OperandPlan& a,
                                                    const executor::OperandPlan& b, int output,
                                                    const kernel::LibraryLoop& loop,
                                                    std::unique_ptr<executor::Step> plain) {
    std::vector<int64_t> window_axes;
    if (group.has_windows) {
      const absl::Span<const int64_t> axes = group.taken[0]->attrs.ints;
      window_axes.assign(axes.begin(), axes.end());
    }
    cpu::OneDnnMatmulPlan plan{a,      b,   group.is_low_precision, std::move(window_axes), {},
                               output, loop};
    for (const schedule::EpilogueStep& step : group.epilogue) {
      executor::OperandPlan operand;
      if (step.operand != nullptr) operand = OperandFor(step.operand);
      plan.epilogue.push_back({step.kind, step.alpha, step.beta, std::move(operand), step.is_row});
    }
    return std::make_unique<cpu::OneDnnMatmulStep>(std::move(plan), std::move(plain));
  }

  absl::Status AddLibraryCall(const schedule::Group& group, const emit::LoweredKernel&) {
    const ir::Node* node = group.root();
    if (ir::HasSubgraphs(*node)) return AddControlFlow(*node);
    if (node->op == Op::kResult) return absl::OkStatus();  // made with its operand
    std::vector<executor::OperandPlan> inputs;
    for (const ir::Node* operand : node->operands) inputs.push_back(OperandFor(operand));
    const int buffer = AddResult(node);
    // A second output of the graph that is the same node is a copy.
    const bool read_on = absl::c_count(graph_.outputs(), node) > 1 ||
                         absl::c_any_of(graph_.nodes(), [node](const ir::Node* user) {
                           return absl::c_linear_search(user->operands, node);
                         });
    DYNACC_ASSIGN_OR_RETURN(
        std::unique_ptr<executor::Step> step,
        MakeStructuralStep({graph_, *node, inputs, buffer, read_on, device_.get()}));
    if (node->location.line > 0) {
      const absl::string_view file = node->location.file;
      const size_t slash = file.rfind('/');
      step->place =
          absl::StrCat(file.substr(slash == file.npos ? 0 : slash + 1), ":", node->location.line);
    }
    Append(std::move(step), {buffer});
    return absl::OkStatus();
  }

  // All results of a Cond or Loop that are read or asked for.
  absl::Status AddControlFlow(const ir::Node& node) {
    std::vector<executor::OperandPlan> operands;
    for (const ir::Node* operand : node.operands) operands.push_back(OperandFor(operand));
    std::vector<int> outputs(ir::NumResults(node), -1);
    outputs[0] = AddResult(&node);
    for (const ir::Node* result : graph_.nodes()) {
      const bool is_ours = result->op == Op::kResult && result->operands[0] == &node;
      if (is_ours) outputs[result->attrs.ints[0]] = AddResult(result);
    }
    std::vector<int> written;
    absl::c_copy_if(outputs, std::back_inserter(written), [](int buffer) { return buffer >= 0; });
    Append(MakeControlFlowStep(node, std::move(operands), std::move(outputs), subgraphs_), written);
    return absl::OkStatus();
  }

  absl::Status AddStore(const schedule::Group& group, const emit::LoweredKernel&) {
    if (!buffer_of_.contains(group.root())) AppendStore(group.root(), -1);
    return absl::OkStatus();
  }

  // Plans the result of `store`; `part` is the buffer that its value is computed in, or -1.
  void AppendStore(const ir::Node* store, int part) {
    executor::StorePlan plan;
    plan.base = OperandFor(store->operands[0]);
    if (part < 0) plan.value = OperandFor(store->operands[1]);
    plan.region = PlanRegion(store);
    plan.part = part;
    const int base = plan.base.buffer;
    plan.base_is_empty = store->operands[0]->op == Op::kEmpty;
    // An output's memory is the first one's of the chain of Stores that make it.
    const bool goes_on = store->operands[0]->op == Op::kStore &&
                         placement_.OnlyStoreInto(store->operands[0]) == store;
    // The result of a call without operands is kept for the next run.
    const ir::Node* const below = store->operands[0];
    const bool is_kept = ir::MakesCall(*below) && below->operands.empty();
    const bool is_temporary = buffers_[base].kind == executor::BufferKind::kTemporary && !is_kept &&
                              schedule::FreshOutputOf(graph_, LastStoreInto(store)) < 0;
    plan.reuse = goes_on ||
                 (plan.base.views.empty() && is_temporary &&
                  store->operands[0]->op != Op::kReshape && placement_.MayTakeOver(store, group_));
    plan.result = goes_on ? AddAlias(store) : AddResult(store);
    const bool reuse = plan.reuse;
    const int result = plan.result;
    std::unique_ptr<executor::Step> step;
    if (device_ != nullptr) step = device_->MakeStore(plan);
    if (step == nullptr) step = std::make_unique<executor::StoreStep>(std::move(plan));
    step->reports_flags = false;
    Append(std::move(step), {result});
    if (reuse) uses_.aliases.emplace_back(result, base);
    if (reuse) taken_from_[result] = base;
  }

  // The buffer whose memory this one has taken over, perhaps by way of others.
  int OriginOf(int buffer) const {
    for (auto it = taken_from_.find(buffer); it != taken_from_.end();
         it = taken_from_.find(buffer)) {
      buffer = it->second;
    }
    return buffer;
  }

  // Whether the part lies in the memory that is written to the target as a whole: then it is
  // written with that, and so are those that it was stored over.
  bool IsWrittenWithWhole(const schedule::WriteBack& part) const {
    const auto whole = whole_of_.find(part.target);
    const auto result = buffer_of_.find(part.store);
    return whole != whole_of_.end() && result != buffer_of_.end() &&
           OriginOf(result->second) == whole->second;
  }

  // The values are read after all steps, when inputs are written one after the other: what may lie
  // in one of them is copied before.
  void AddWriteBack(const schedule::WriteBack& part) {
    if (part.store != nullptr && IsWrittenWithWhole(part)) return;
    executor::WriteBackPlan plan;
    plan.source = OperandFor(part.value);
    if (part.store == nullptr && plan.source.views.empty()) {
      whole_of_[part.target] = OriginOf(plan.source.buffer);
    }
    if (MayLieIn(part.value, graph_.targets())) {
      const int buffer = AddBuffer(PlanBuffer(part.value));
      auto step = std::make_unique<executor::CopyStep>(std::move(plan.source), buffer);
      step->reports_flags = false;
      Append(std::move(step), {buffer});
      plan.source = {buffer, {}, {}};
      whole_of_.erase(part.target);
    }
    kept_.push_back(plan.source.buffer);
    plan.target = buffer_of_[part.target];
    if (part.store != nullptr) plan.region.push_back(PlanRegion(part.store));
    write_backs_.push_back(std::move(plan));
  }

  void AddCopy(const schedule::OutputCopy& copy) {
    executor::OperandPlan source = OperandFor(copy.node);
    executor::BufferPlan plan = PlanBuffer(copy.node);
    plan.kind = executor::BufferKind::kOutput;
    plan.index = copy.output;
    plan.layout = layouts_.StepOf(traced_.outputs()[copy.output]);
    const int destination = AddBuffer(plan);
    std::unique_ptr<executor::Step> step;
    if (device_ != nullptr) step = device_->MakeCopy(source, destination);
    if (step == nullptr)
      step = std::make_unique<executor::CopyStep>(std::move(source), destination);
    step->reports_flags = false;
    Append(std::move(step), {destination});
  }

  void Append(std::unique_ptr<executor::Step> step, const std::vector<int>& writes,
              BufferAccess access = BufferAccess::kMakes) {
    step->reported_flags = reported_;
    step->group = in_groups_ ? group_ : -1;
    if (device_ != nullptr) {
      step->writes = writes;
      for (const BufferUse& use : uses_.all) {
        if (use.step == static_cast<int>(steps_.size())) step->reads.push_back(use.buffer);
      }
    }
    for (const int buffer : writes) AddUse(buffer, access);
    steps_.push_back(std::move(step));
  }

  // Uses of what may lie in a buffer's memory count as its own. Those are planned in order, so that
  // going backwards passes uses on down a chain.
  void FindLastUses() {
    std::vector<int>& last = uses_.last;
    last.assign(buffers_.size(), -1);
    for (const BufferUse& use : uses_.all) last[use.buffer] = std::max(last[use.buffer], use.step);
    for (const int buffer : kept_) last[buffer] = static_cast<int>(steps_.size());
    for (auto it = uses_.aliases.rbegin(); it != uses_.aliases.rend(); ++it) {
      last[it->second] = std::max(last[it->second], last[it->first]);
    }
    uses_.together.resize(steps_.size());
    std::iota(uses_.together.begin(), uses_.together.end(), 0);
    uses_.restarts.resize(steps_.size());
    for (const schedule::RowBlock& block : schedule_.row_blocks) {
      const int first = first_step_[block.first], end = first_step_[block.last + 1];
      std::fill(uses_.together.begin() + first, uses_.together.begin() + end, first);
      std::fill(uses_.restarts.begin() + first, uses_.restarts.begin() + end, HasProduct(block));
    }
  }

  // Products find out on the way that their rows cannot be done apart.
  bool HasProduct(const schedule::RowBlock& block) const {
    return std::any_of(
        schedule_.groups.begin() + block.first, schedule_.groups.begin() + block.last + 1,
        [](const schedule::Group& group) { return group.kind == schedule::GroupKind::kMatmul; });
  }

  // Memory on a device is the device's business, and of data-dependent sizes nobody knows
  // beforehand where results lie.
  bool MayDonate() const {
    return device_ == nullptr && graph_.scalars().num_data_dependent() == 0 &&
           !absl::c_linear_search(NamesIn(ProcessOptions().disable_passes), "donate-memory");
  }

  // "%3 lies in the memory of %5", a line for each.
  std::string DonationText() const {
    std::vector<int> id_of(buffers_.size(), -1);
    for (const ir::Node* node : graph_.nodes()) {
      const auto found = buffer_of_.find(node);
      if (found != buffer_of_.end()) id_of[found->second] = node->id;
    }
    std::string text;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].aliased_buffer < 0) continue;
      absl::StrAppend(&text, "%", id_of[i], " lies in the memory of %",
                      id_of[buffers_[i].aliased_buffer], "\n");
    }
    return text;
  }

  // Each temporary is released by the last step that touches it.
  void PlanReleases() {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const int last = uses_.last[i];
      const bool has_last = last >= 0 && last < static_cast<int>(steps_.size());
      if (buffers_[i].kind == executor::BufferKind::kTemporary && has_last) {
        steps_[last]->releases.push_back(static_cast<int>(i));
      }
    }
  }

  // The step of a device for the kernel's groups; null if each is to run as it is.
  std::unique_ptr<const executor::Step> MakeRowKernel(const schedule::RowKernel& kernel) {
    const int first = first_step_[kernel.first], end = first_step_[kernel.last + 1];
    if (device_ == nullptr || end - first != kernel.last - kernel.first + 1) return nullptr;
    std::vector<std::unique_ptr<executor::Step>> steps;
    for (int step = first; step < end; ++step) steps.push_back(std::move(steps_[step]));
    std::unique_ptr<executor::Step> rows = device_->MakeRows(kernel.first, steps);
    if (rows != nullptr) rows->group = kernel.first;
    for (int step = first; rows == nullptr && step < end; ++step) {
      steps_[step] = std::move(steps[step - first]);
    }
    return rows;
  }

  // The steps, those of each RowBlock (or, on a device, each RowKernel) as one.
  std::vector<std::unique_ptr<const executor::Step>> TakeSteps() {
    const int end = static_cast<int>(steps_.size());
    if (device_ == nullptr) return TakeSteps(0, end, schedule_.row_blocks);
    std::vector<std::unique_ptr<const executor::Step>> taken;
    int next = 0;
    for (const schedule::RowKernel& kernel : schedule_.row_kernels) {
      std::unique_ptr<const executor::Step> rows = MakeRowKernel(kernel);
      if (rows == nullptr) continue;
      next = TakeSingle(next, first_step_[kernel.first], taken);
      taken.push_back(std::move(rows));
      next = first_step_[kernel.last + 1];
    }
    TakeSingle(next, end, taken);
    return taken;
  }

  // The steps [next, end), those of each of the blocks as one.
  std::vector<std::unique_ptr<const executor::Step>> TakeSteps(
      int next, int end, const std::vector<schedule::RowBlock>& blocks) {
    std::vector<std::unique_ptr<const executor::Step>> taken;
    for (const schedule::RowBlock& block : blocks) {
      const int after = first_step_[block.last + 1];
      next = TakeSingle(next, first_step_[block.first], taken);
      if (IsMadeOfRowStages(block)) {
        taken.push_back(MakeRowBlockStep(block));
      } else {
        absl::c_move(TakeSteps(next, after, block.inner), std::back_inserter(taken));
      }
      next = after;
    }
    TakeSingle(next, end, taken);
    return taken;
  }

  // Moves the steps [next, end) to `taken`; `end`.
  int TakeSingle(int next, int end, std::vector<std::unique_ptr<const executor::Step>>& taken) {
    for (; next < end; ++next) taken.push_back(std::move(steps_[next]));
    return next;
  }

  // Whether each group became one step that can go by rows and writes to memory of its own.
  bool IsMadeOfRowStages(const schedule::RowBlock& block) const {
    for (int group = block.first; group <= block.last; ++group) {
      const int step = first_step_[group];
      if (first_step_[group + 1] != step + 1 || steps_[step]->row_stage() == nullptr) return false;
      for (const int buffer : steps_[step]->row_stage()->outputs()) {
        if (buffers_[buffer].kind == executor::BufferKind::kPart) return false;
      }
    }
    return true;
  }

  std::unique_ptr<const executor::Step> MakeRowBlockStep(const schedule::RowBlock& block) {
    const int first = first_step_[block.first], end = first_step_[block.last + 1];
    std::vector<int> made, locals;
    std::vector<const executor::Step*> stages;
    for (int step = first; step < end; ++step) {
      for (const int buffer : steps_[step]->row_stage()->outputs()) made.push_back(buffer);
      for (const int buffer : steps_[step]->releases) {
        const bool is_shared = absl::c_any_of(uses_.aliases, [buffer](const auto& pair) {
          return pair.first == buffer || pair.second == buffer;
        });
        if (absl::c_linear_search(made, buffer) && !is_shared) locals.push_back(buffer);
      }
      stages.push_back(steps_[step].get());
    }
    const auto shape =
        schedule::IterationShape(schedule_.groups[block.first]).subspan(0, block.axes);
    auto rows = std::make_unique<executor::RowBlockStep>(
        TakeSteps(first, end, block.inner), std::move(stages),
        std::vector<ScalarId>(shape.begin(), shape.end()), std::move(locals));
    rows->group = block.first;
    return rows;
  }

  const ir::Graph& graph_;
  const ir::Graph& traced_;
  const schedule::Schedule& schedule_;
  std::vector<std::shared_ptr<const kernel::CompiledKernel>> kernels_;
  const CompiledSubgraphs& subgraphs_;
  std::shared_ptr<const targets::DeviceModule> device_;  // null: all steps are the host's
  size_t next_kernel_ = 0;
  std::vector<executor::BufferPlan> buffers_;
  std::vector<std::unique_ptr<executor::Step>> steps_;
  absl::flat_hash_map<const ir::Node*, int> buffer_of_;
  absl::Status schedule_error_;
  LayoutBuilder layouts_;
  BufferUses uses_;
  absl::flat_hash_map<int, int> taken_from_;  // of Stores' results: the base's buffer
  absl::flat_hash_map<const ir::Node*, int>
      whole_of_;           // of targets: the buffer written to all of it
  std::vector<int> kept_;  // buffers read after all steps
  StorePlacement placement_;
  int group_ = 0;                // that is being planned
  bool in_groups_ = true;        // not yet what comes after all groups
  uint32_t reported_ = 0;        // of its errors, as bits of <cfenv>
  std::vector<int> first_step_;  // of each group, and of what comes after all
  std::vector<executor::WriteBackPlan> write_backs_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> BuildPlan(
    const ir::Graph& graph, const ir::Graph& traced, const schedule::Schedule& schedule,
    std::vector<emit::LoweredKernel> lowered,
    std::vector<std::shared_ptr<const kernel::CompiledKernel>> kernels,
    const CompiledSubgraphs& subgraphs, std::string description,
    std::shared_ptr<const targets::DeviceModule> device) {
  return PlanBuilder(graph, traced, schedule, std::move(kernels), subgraphs, std::move(device))
      .Build(std::move(lowered), std::move(description));
}

}  // namespace dynacc::compile
