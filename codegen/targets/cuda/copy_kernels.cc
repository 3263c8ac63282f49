#include "codegen/targets/cuda/copy_kernels.h"

#include <bit>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "codegen/emit/grid_loop.h"
#include "codegen/targets/cuda/cuda_modules.h"
#include "codegen/targets/cuda/cuda_source.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// Copies move bits: one dtype for each size of an element, 1 byte to 16.
constexpr DType kBySize[] = {DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                             DType::kComplex128};

struct CopyKernels {
  std::shared_ptr<const CudaKernelModule> module;
  CudaLaunchKernels by_size[std::size(kBySize)];
};

absl::StatusOr<std::unique_ptr<CopyKernels>> MakeKernels(CudaDevice& device) {
  std::vector<CudaGroup> groups;
  for (const DType dtype : kBySize) {
    CudaGroup group;
    group.kernel.name = absl::StrCat("copy_", ItemSize(dtype));
    group.kernel.inputs = {dtype};
    group.kernel.outputs = {0};
    group.has_tiles = true;
    groups.push_back(std::move(group));
  }
  DYNACC_ASSIGN_OR_RETURN(const std::string source, EmitCudaModule(groups));
  auto made = std::make_unique<CopyKernels>();
  DYNACC_ASSIGN_OR_RETURN(made->module,
                          GetCudaModule(device, source, static_cast<int>(groups.size()), false));
  for (size_t i = 0; i < groups.size(); ++i) {
    CudaLaunchKernels& kernels = made->by_size[i];
    const kernel::Kernel& kernel = groups[i].kernel;
    kernels.lanes = emit::GridLanes(kernel);
    DYNACC_ASSIGN_OR_RETURN(kernels.flat, FindCudaKernel(*made->module->module, kernel.name));
    DYNACC_ASSIGN_OR_RETURN(kernels.strided,
                            FindCudaKernel(*made->module->module, kernel.name + "_nd"));
    DYNACC_ASSIGN_OR_RETURN(kernels.tiled,
                            FindCudaKernel(*made->module->module, kernel.name + "_tiled"));
  }
  return made;
}

// Made at the first copy on a device, and kept.
absl::StatusOr<const CopyKernels*> KernelsOf(CudaDevice& device) {
  static absl::Mutex& mutex = *new absl::Mutex;
  static auto& by_device = *new std::map<const CudaDevice*, std::unique_ptr<CopyKernels>>;
  absl::MutexLock lock(&mutex);
  std::unique_ptr<CopyKernels>& kernels = by_device[&device];
  if (kernels == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(kernels, MakeKernels(device));
  }
  return kernels.get();
}

}  // namespace

absl::Status CopyOnDevice(CudaRun& run, const DeviceOperand& from, const StridedView& to) {
  if (to.size() == 0) return absl::OkStatus();
  const int64_t bytes = to.size() * ItemSize(to.dtype);
  if (from.view.data != nullptr && executor::IsContiguous(from.view) &&
      executor::IsContiguous(to)) {
    return run.CopyBytes(reinterpret_cast<cuda::DevicePointer>(to.data),
                         reinterpret_cast<cuda::DevicePointer>(from.view.data), bytes);
  }
  DYNACC_ASSIGN_OR_RETURN(const CopyKernels* const kernels, KernelsOf(run.device()));
  const int size = std::countr_zero(static_cast<unsigned>(ItemSize(to.dtype)));
  DeviceOperand target;
  target.view = to;
  const DeviceOperand operands[] = {from, target};
  return LaunchElementwise(run, kernels->by_size[size], operands, 1, to);
}

}  // namespace dynacc::cuda
