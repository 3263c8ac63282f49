#include "codegen/targets/cuda/cuda_target.h"

#include <atomic>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/grid_loop.h"
#include "codegen/targets/cuda/combine_kernels.h"
#include "codegen/targets/cuda/cuda_modules.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_source.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/matmul_kernels.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"
#include "codegen/targets/cuda/scan_kernels.h"
#include "codegen/targets/device_module.h"
#include "codegen/targets/tile/tile_target.h"
#include "runtime/base/log.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

class CudaOffload : public executor::Offload {
 public:
  CudaOffload(CudaDevice& device, std::string label, executor::Placement placement,
              bool uses_graphs)
      : device_(device),
        label_({std::move(label), NewId()}),
        placement_(std::move(placement)),
        uses_graphs_(uses_graphs) {}
  absl::StatusOr<std::unique_ptr<executor::DeviceRun>> Start() const override {
    return CudaRun::Start(device_, label_, placement_, keeper_);
  }

  // What is logged is logged by runs that go step by step.
  absl::StatusOr<bool> Replay(const executor::RunArguments& arguments) const override {
    if (placement_.device == 0 || LogEnabled(LogTopic::kDevice)) return false;
    std::unique_ptr<LaunchList> list = keeper_.Take();
    if (list == nullptr) return false;
    if (uses_graphs_) list->UseGraphs();
    const bool fits = list->Fits(arguments);
    const absl::Status status = fits ? Give(*list, arguments) : absl::OkStatus();
    if (absl::IsUnavailable(status)) return false;  // the way without that library
    keeper_.Keep(std::move(list));
    if (!status.ok()) return status;
    return fits;
  }

 private:
  static uint64_t NewId() {
    static std::atomic<uint64_t> last = 0;
    return ++last;
  }

  absl::Status Give(LaunchList& list, const executor::RunArguments& arguments) const {
    const CudaScope scope(device_);
    DYNACC_RETURN_IF_ERROR(scope.status());
    DYNACC_ASSIGN_OR_RETURN(CudaStream* const stream, device_.TensorStream());
    stream->NoteWork(label_.text, label_.id);
    const absl::Status status = list.Replay(device_, *stream, placement_.device, arguments);
    if (status.ok() || absl::IsUnavailable(status)) return status;
    const absl::Status explained = Annotate(status, absl::StrCat("on the GPU, in ", label_.text));
    NoteCudaFailure(explained);
    return explained;
  }

  CudaDevice& device_;
  const WorkLabel label_;
  const executor::Placement placement_;
  const bool uses_graphs_;
  mutable LaunchListKeeper keeper_;
};

// Whether the group has no kernel of its own, but may be work of the device all the same.
bool IsOtherWork(const schedule::Group& group) {
  if (group.kind == schedule::GroupKind::kMatmul) return HasMatmulKernel(group.root()->dtype);
  constexpr Op kOps[] = {Op::kCumsum, Op::kCumprod, Op::kGather, Op::kScatter};
  return absl::c_linear_search(kOps, group.root()->op);
}

// The kernels of a graph's groups, found in their loaded module.
class CudaDeviceModule : public targets::DeviceModule {
 public:
  // `module`: null if there are no kernels.
  CudaDeviceModule(CudaDevice& device, std::shared_ptr<const CudaKernelModule> module,
                   std::string source, const std::string& label,
                   const executor::Placement& placement, bool uses_graphs)
      : module_(std::move(module)),
        source_(std::move(source)),
        offload_(std::make_shared<CudaOffload>(device, label, placement, uses_graphs)),
        is_resident_(placement.device != 0) {}

  absl::Status Add(const CudaGroup& group) {
    const std::string& name = group.kernel.name;
    if (group.is_reduction) {
      CudaReduceKernels& kernels = reductions_[group.group];
      DYNACC_ASSIGN_OR_RETURN(kernels.rows, Find(name + "_rows"));
      DYNACC_ASSIGN_OR_RETURN(kernels.columns, Find(name + "_columns"));
      DYNACC_ASSIGN_OR_RETURN(kernels.combine, Find(name + "_combine"));
      return absl::OkStatus();
    }
    CudaLaunchKernels& kernels = launches_[group.group];
    kernels.lanes = emit::GridLanes(group.kernel);
    DYNACC_ASSIGN_OR_RETURN(kernels.flat, Find(name));
    DYNACC_ASSIGN_OR_RETURN(kernels.strided, Find(name + "_nd"));
    if (group.has_tiles) {
      DYNACC_ASSIGN_OR_RETURN(kernels.tiled, Find(name + "_tiled"));
    }
    if (group.has_rolls) {
      DYNACC_ASSIGN_OR_RETURN(kernels.rolled, Find(name + "_rolled"));
    }
    return absl::OkStatus();
  }

  absl::Status AddRows(const CudaRowGroup& row) {
    CudaRowKernels& kernels = rows_[row.first];
    const std::string& name = row.program.name;
    DYNACC_ASSIGN_OR_RETURN(kernels.warp, Find(name + "_warp"));
    DYNACC_ASSIGN_OR_RETURN(kernels.block, Find(name + "_block"));
    DYNACC_ASSIGN_OR_RETURN(kernels.shared, Find(name + "_shared"));
    DYNACC_ASSIGN_OR_RETURN(kernels.scratch, Find(name + "_scratch"));
    DYNACC_ASSIGN_OR_RETURN(kernels.columns, Find(name + "_columns"));
    kernels.plan = emit::PlanRows(row.program);
    kernels.from = row.from;
    kernels.to = row.to;
    const auto& stages = row.program.stages;
    while (!stages[kernels.shape].is_wide) ++kernels.shape;
    for (const auto& [group, index] : row.inputs) {
      kernels.bytes_read += ItemSize(row.program.operands[kernels.inputs.size()]);
      kernels.inputs.push_back({group - row.first, index});
    }
    for (const auto& [group, index] : row.outputs) {
      kernels.bytes_written +=
          ItemSize(row.program.operands[kernels.inputs.size() + kernels.outputs.size()]);
      kernels.outputs.push_back({group - row.first, index});
    }
    return absl::OkStatus();
  }

  std::unique_ptr<executor::Step> MakeLaunch(int group, const executor::KernelPlan& plan,
                                             const std::vector<int>& outputs) const override {
    const auto it = launches_.find(group);
    if (it == launches_.end()) return nullptr;
    return std::make_unique<CudaLaunchStep>(module_, it->second, plan, outputs);
  }
  std::unique_ptr<executor::Step> MakeReduction(int group,
                                                const executor::ReducePlan& plan) const override {
    const auto it = reductions_.find(group);
    if (it == reductions_.end()) return nullptr;
    return std::make_unique<CudaReduceStep>(module_, it->second, plan);
  }
  bool HasLaunch(int group) const override { return launches_.contains(group); }
  std::unique_ptr<executor::Step> MakeStore(const executor::StorePlan& plan) const override {
    return std::make_unique<CudaStoreStep>(plan);
  }
  std::unique_ptr<executor::Step> MakeScan(Op reduction, DType dtype,
                                           const executor::OperandPlan& source, int axis,
                                           int output,
                                           std::unique_ptr<executor::Step>& host) const override {
    if (!HasScanKernel(reduction, dtype)) return nullptr;
    return std::make_unique<CudaScanStep>(reduction, source, axis, output, std::move(host));
  }
  std::unique_ptr<executor::Step> MakeGather(const executor::GatherPlan& plan,
                                             std::unique_ptr<executor::Step>& host) const override {
    return std::make_unique<CudaGatherStep>(plan, std::move(host));
  }
  std::unique_ptr<executor::Step> MakeScatter(
      const executor::ScatterPlan& plan, std::unique_ptr<executor::Step>& host) const override {
    if (plan.op.has_value() && !HasCombineKernels(*plan.op, plan.dtype)) return nullptr;
    return std::make_unique<CudaScatterStep>(plan, std::move(host));
  }
  std::unique_ptr<executor::Step> MakeMatmul(DType dtype, const executor::OperandPlan& a,
                                             const executor::OperandPlan& b,
                                             int output) const override {
    if (!HasMatmulKernel(dtype)) return nullptr;
    return std::make_unique<CudaMatmulStep>(a, b, output);
  }
  std::unique_ptr<executor::Step> MakeRows(
      int first, std::vector<std::unique_ptr<executor::Step>>& steps) const override {
    const auto it = rows_.find(first);
    if (it == rows_.end()) return nullptr;
    for (const auto& step : steps) {
      if (dynamic_cast<CudaGroupStep*>(step.get()) == nullptr) return nullptr;
    }
    std::vector<std::unique_ptr<const CudaGroupStep>> parts;
    for (auto& step : steps) parts.emplace_back(static_cast<CudaGroupStep*>(step.release()));
    return std::make_unique<CudaRowBlockStep>(module_, it->second, std::move(parts));
  }
  std::unique_ptr<executor::Step> MakeCopy(const executor::OperandPlan& source,
                                           int destination) const override {
    if (!is_resident_) return nullptr;  // what is copied may well be on the host
    return std::make_unique<CudaCopyStep>(source, destination);
  }
  std::unique_ptr<executor::Step> MakeReshape(const executor::OperandPlan& source,
                                              int destination) const override {
    return std::make_unique<CudaReshapeStep>(source, destination);
  }
  std::shared_ptr<const executor::Offload> offload() const override { return offload_; }
  const std::string& source() const override { return source_; }

 private:
  absl::StatusOr<CudaKernel> Find(const std::string& name) const {
    return FindCudaKernel(*module_->module, name);
  }

  std::shared_ptr<const CudaKernelModule> module_;
  std::string source_;
  std::shared_ptr<const executor::Offload> offload_;
  const bool is_resident_;
  absl::flat_hash_map<int, CudaLaunchKernels> launches_;    // by group
  absl::flat_hash_map<int, CudaReduceKernels> reductions_;  // by group
  absl::flat_hash_map<int, CudaRowKernels> rows_;           // by the first group
};

class CudaTargetImpl : public targets::Target {
 public:
  absl::string_view name() const override { return "cuda"; }

  absl::Status Availability() const override {
    DYNACC_RETURN_IF_ERROR(ProcessCudaDevice(0).status());
    return NvrtcStatus();
  }

  targets::TargetTraits traits() const override {
    return {.has_device = true, .has_compiler = true, .has_good_sizes = true};
  }

  // For the steps that the host does between those of the device.
  absl::StatusOr<std::vector<std::shared_ptr<const kernel::CompiledKernel>>> CompileKernels(
      absl::Span<const kernel::Kernel> kernels) const override {
    return tile::TileTarget()->CompileKernels(kernels);
  }

  absl::StatusOr<std::shared_ptr<const targets::DeviceModule>> CompileForDevice(
      const schedule::Schedule& schedule, absl::Span<const emit::LoweredKernel> lowered,
      const std::string& label, const executor::Placement& placement,
      bool uses_graphs) const override {
    auto made = Compile(schedule, lowered, label, placement, uses_graphs);
    if (placement.device != 0 && !made.ok()) NoteCudaFailure(made.status());
    return made;
  }

 private:
  absl::StatusOr<std::shared_ptr<const targets::DeviceModule>> Compile(
      const schedule::Schedule& schedule, absl::Span<const emit::LoweredKernel> lowered,
      const std::string& label, const executor::Placement& placement, bool uses_graphs) const {
    const std::vector<CudaGroup> own = CudaGroupsOf(schedule.groups, lowered);
    const bool has_more = absl::c_any_of(schedule.groups, IsOtherWork);
    if (own.empty() && !has_more && placement.device == 0) return nullptr;
    const std::vector<CudaRowGroup> rows = CudaRowGroupsOf(schedule, lowered, own);
    DYNACC_RETURN_IF_ERROR(Availability());
    DYNACC_ASSIGN_OR_RETURN(CudaDevice* const device,
                            ProcessCudaDevice(std::max(placement.device - 1, 0)));
    std::string source;
    std::shared_ptr<const CudaKernelModule> module;
    if (!own.empty()) {
      DYNACC_ASSIGN_OR_RETURN(source, EmitCudaModule(own, rows));
      DYNACC_ASSIGN_OR_RETURN(
          module, GetCudaModule(*device, source, static_cast<int>(own.size() + rows.size()),
                                own.front().kernel.fast_math));
    }
    auto made = std::make_shared<CudaDeviceModule>(*device, std::move(module), std::move(source),
                                                   label, placement, uses_graphs);
    for (const CudaGroup& group : own) DYNACC_RETURN_IF_ERROR(made->Add(group));
    for (const CudaRowGroup& row : rows) DYNACC_RETURN_IF_ERROR(made->AddRows(row));
    return made;
  }
};

}  // namespace

const targets::Target* CudaTarget() {
  static const CudaTargetImpl& target = *new CudaTargetImpl;
  return &target;
}

}  // namespace dynacc::cuda
