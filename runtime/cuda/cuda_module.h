// CudaModule: machine code loaded into a device's context.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/cuda/cuda_device.h"

namespace dynacc::cuda {

class CudaModule {
 public:
  // `image`: a cubin. INVALID_ARGUMENT: it is damaged or not for this device.
  static absl::StatusOr<std::unique_ptr<CudaModule>> Load(CudaDevice& device,
                                                          absl::string_view image);
  ~CudaModule();
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  CudaDevice& device() const { return device_; }

  // The kernel of that name, for as long as the module lives. NOT_FOUND: there is none.
  absl::StatusOr<cuda::Function> Find(const std::string& name) const;

  // Blocks of so many threads that a multiprocessor runs at once.
  absl::StatusOr<int> BlocksPerMultiprocessor(cuda::Function function, int block_threads) const;

 private:
  CudaModule(CudaDevice& device, cuda::Module module) : device_(device), module_(module) {}

  CudaDevice& device_;
  cuda::Module module_;
};

}  // namespace dynacc::cuda
