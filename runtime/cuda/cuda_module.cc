#include "runtime/cuda/cuda_module.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {

absl::StatusOr<std::unique_ptr<CudaModule>> CudaModule::Load(CudaDevice& device,
                                                             absl::string_view image) {
  const CudaScope scope(device);
  DYNACC_RETURN_IF_ERROR(scope.status());
  cuda::Module module = nullptr;
  const std::string terminated(image);  // the driver finds the end of an image itself
  DYNACC_RETURN_IF_ERROR(device.Check(device.driver().cuModuleLoadData(&module, terminated.c_str()),
                                      absl::StrCat("loading kernels into ", device.name())));
  return std::unique_ptr<CudaModule>(new CudaModule(device, module));
}

CudaModule::~CudaModule() {
  const CudaScope scope(device_);
  if (scope.status().ok()) device_.driver().cuModuleUnload(module_);
}

absl::StatusOr<cuda::Function> CudaModule::Find(const std::string& name) const {
  const CudaScope scope(device_);
  DYNACC_RETURN_IF_ERROR(scope.status());
  cuda::Function function = nullptr;
  const cuda::Result found = device_.driver().cuModuleGetFunction(&function, module_, name.c_str());
  if (found == cuda::kNotFound) return absl::NotFoundError(absl::StrCat("no kernel ", name));
  DYNACC_RETURN_IF_ERROR(device_.Check(found, "cuModuleGetFunction"));
  return function;
}

absl::StatusOr<int> CudaModule::BlocksPerMultiprocessor(cuda::Function function,
                                                        int block_threads) const {
  const CudaScope scope(device_);
  DYNACC_RETURN_IF_ERROR(scope.status());
  int blocks = 0;
  DYNACC_RETURN_IF_ERROR(device_.Check(device_.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                                           &blocks, function, block_threads, 0),
                                       "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
  return blocks;
}

}  // namespace dynacc::cuda
