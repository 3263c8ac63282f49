#include "codegen/targets/cuda/cuda_modules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// Blocks of a launch for each that is resident at once: enough that the last ones to end do not
// leave the device idle for long.
constexpr int kWaves = 4;

absl::StatusOr<cache::ContentHash> ModuleKey(const CudaDevice& device, const NvrtcOptions& options,
                                             absl::string_view source) {
  static const cache::ContentHash& prelude =
      *new cache::ContentHash(cache::HashContent(kCudaPrelude));
  DYNACC_ASSIGN_OR_RETURN(const std::string nvrtc, NvrtcVersion());
  return cache::HashParts({DYNACC_VERSION,
                           absl::StrCat("cuda ", nvrtc, " sm_", options.architecture, " ",
                                        options.fast_math, " device ", device.ordinal()),
                           prelude.Hex(), emit::WithoutComments(source)});
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CudaKernelModule>> GetCudaModule(CudaDevice& device,
                                                                      const std::string& source,
                                                                      int num_kernels,
                                                                      bool fast_math) {
  const NvrtcOptions options = {device.architecture(), fast_math};
  cache::KernelModuleRequest request;
  DYNACC_ASSIGN_OR_RETURN(request.key, ModuleKey(device, options, source));
  request.source = source;
  request.num_kernels = num_kernels;
  request.compile = [&] { return CompileCubin("dynacc_kernels.cu", source, options); };
  request.load =
      [&](absl::string_view cubin) -> absl::StatusOr<std::shared_ptr<const cache::KernelModule>> {
    auto loaded = std::make_shared<CudaKernelModule>();
    DYNACC_ASSIGN_OR_RETURN(loaded->module, CudaModule::Load(device, cubin));
    return loaded;
  };
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const cache::KernelModule> module,
                          cache::KernelCache::ForProcess().Get(request));
  return std::static_pointer_cast<const CudaKernelModule>(std::move(module));
}

absl::StatusOr<CudaKernel> FindCudaKernel(const CudaModule& module, const std::string& name) {
  CudaKernel kernel;
  kernel.name = name;
  DYNACC_ASSIGN_OR_RETURN(kernel.function, module.Find(name));
  DYNACC_ASSIGN_OR_RETURN(const int resident,
                          module.BlocksPerMultiprocessor(kernel.function, kCudaBlockThreads));
  kernel.max_blocks = int64_t{kWaves} * std::max(resident, 1) * module.device().multiprocessors();
  return kernel;
}

}  // namespace dynacc::cuda
