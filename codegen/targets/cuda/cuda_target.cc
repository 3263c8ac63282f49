#include "codegen/targets/cuda/cuda_target.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/emit/grid_loop.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_source.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"
#include "codegen/targets/device_module.h"
#include "codegen/targets/tile/tile_target.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Blocks of a launch for each that is resident at once: enough that the last ones to end do not
// leave the device idle for long.
constexpr int kWaves = 4;

class CudaOffload : public Offload {
 public:
  CudaOffload(CudaDevice& device, std::string label) : device_(device), label_(std::move(label)) {}
  absl::StatusOr<std::unique_ptr<DeviceRun>> Start() const override {
    return CudaRun::Start(device_, label_);
  }

 private:
  CudaDevice& device_;
  const std::string label_;
};

bool IsRolled(const OperandPlan& operand) { return !operand.shifts.empty(); }

// The kernels of a graph's groups, found in their loaded module.
class CudaDeviceModule : public DeviceModule {
 public:
  CudaDeviceModule(std::shared_ptr<const CudaKernelModule> module, std::string source,
                   const std::string& label)
      : module_(std::move(module)),
        source_(std::move(source)),
        offload_(std::make_shared<CudaOffload>(module_->module->device(), label)) {}

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
    kernels.lanes = GridLanes(group.kernel);
    DYNACC_ASSIGN_OR_RETURN(kernels.flat, Find(name));
    DYNACC_ASSIGN_OR_RETURN(kernels.strided, Find(name + "_nd"));
    return absl::OkStatus();
  }

  // Not for what reads rolled arrays: that is one launch for each piece, which only the host does.
  std::unique_ptr<Step> MakeLaunch(int group, const KernelPlan& plan,
                                   const std::vector<int>& outputs) const override {
    const auto it = launches_.find(group);
    if (it == launches_.end() || absl::c_any_of(plan.inputs, IsRolled)) return nullptr;
    return std::make_unique<CudaLaunchStep>(module_, it->second, plan, outputs);
  }
  std::unique_ptr<Step> MakeReduction(int group, const ReducePlan& plan) const override {
    const auto it = reductions_.find(group);
    if (it == reductions_.end()) return nullptr;
    return std::make_unique<CudaReduceStep>(module_, it->second, plan);
  }
  std::unique_ptr<Step> MakeReshape(const OperandPlan& source, int destination) const override {
    return std::make_unique<CudaReshapeStep>(source, destination);
  }
  std::shared_ptr<const Offload> offload() const override { return offload_; }
  const std::string& source() const override { return source_; }

 private:
  absl::StatusOr<CudaKernel> Find(const std::string& name) const {
    CudaKernel kernel;
    kernel.name = name;
    DYNACC_ASSIGN_OR_RETURN(kernel.function, module_->module->Find(name));
    DYNACC_ASSIGN_OR_RETURN(const int resident, module_->module->BlocksPerMultiprocessor(
                                                    kernel.function, kCudaBlockThreads));
    kernel.max_blocks =
        int64_t{kWaves} * std::max(resident, 1) * module_->module->device().multiprocessors();
    return kernel;
  }

  std::shared_ptr<const CudaKernelModule> module_;
  std::string source_;
  std::shared_ptr<const Offload> offload_;
  absl::flat_hash_map<int, CudaLaunchKernels> launches_;    // by group
  absl::flat_hash_map<int, CudaReduceKernels> reductions_;  // by group
};

absl::StatusOr<ContentHash> ModuleKey(const CudaDevice& device, const NvrtcOptions& options,
                                      absl::string_view source) {
  static const ContentHash& prelude = *new ContentHash(HashContent(kCudaPrelude));
  DYNACC_ASSIGN_OR_RETURN(const std::string nvrtc, NvrtcVersion());
  return ContentHasher()
      .Add(DYNACC_VERSION)
      .Add(absl::StrCat("cuda ", nvrtc, " sm_", options.architecture, " ", options.fast_math,
                        " device ", device.ordinal()))
      .Add(prelude.Hex())
      .Add(WithoutComments(source))
      .hash();
}

absl::StatusOr<std::shared_ptr<const CudaKernelModule>> GetModule(CudaDevice& device,
                                                                  const std::string& source,
                                                                  int num_kernels, bool fast_math) {
  const NvrtcOptions options = {device.architecture(), fast_math};
  KernelModuleRequest request;
  DYNACC_ASSIGN_OR_RETURN(request.key, ModuleKey(device, options, source));
  request.source = source;
  request.num_kernels = num_kernels;
  request.compile = [&] { return CompileCubin("dynacc_kernels.cu", source, options); };
  request.load =
      [&](absl::string_view cubin) -> absl::StatusOr<std::shared_ptr<const KernelModule>> {
    auto loaded = std::make_shared<CudaKernelModule>();
    DYNACC_ASSIGN_OR_RETURN(loaded->module, CudaModule::Load(device, cubin));
    return loaded;
  };
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const KernelModule> module,
                          KernelCache::ForProcess().Get(request));
  return std::static_pointer_cast<const CudaKernelModule>(std::move(module));
}

class CudaTargetImpl : public Target {
 public:
  absl::string_view name() const override { return "cuda"; }

  absl::Status Availability() const override {
    DYNACC_RETURN_IF_ERROR(ProcessCudaDevice(0).status());
    return NvrtcStatus();
  }

  // For the steps that the host does between those of the device.
  absl::StatusOr<std::vector<std::shared_ptr<const CompiledKernel>>> CompileKernels(
      absl::Span<const Kernel> kernels) const override {
    return TileTarget()->CompileKernels(kernels);
  }

  absl::StatusOr<std::shared_ptr<const DeviceModule>> CompileForDevice(
      absl::Span<const Group> groups, absl::Span<const LoweredKernel> lowered,
      const std::string& label) const override {
    const std::vector<CudaGroup> own = CudaGroupsOf(groups, lowered);
    if (own.empty()) return nullptr;
    DYNACC_RETURN_IF_ERROR(Availability());
    DYNACC_ASSIGN_OR_RETURN(CudaDevice* const device, ProcessCudaDevice(0));
    DYNACC_ASSIGN_OR_RETURN(std::string source, EmitCudaModule(own));
    DYNACC_ASSIGN_OR_RETURN(
        std::shared_ptr<const CudaKernelModule> module,
        GetModule(*device, source, static_cast<int>(own.size()), own.front().kernel.fast_math));
    auto made = std::make_shared<CudaDeviceModule>(std::move(module), std::move(source), label);
    for (const CudaGroup& group : own) DYNACC_RETURN_IF_ERROR(made->Add(group));
    return made;
  }
};

}  // namespace

const Target* CudaTarget() {
  static const CudaTargetImpl& target = *new CudaTargetImpl;
  return &target;
}

}  // namespace dynacc
