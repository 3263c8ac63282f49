// KeptKernels: kernels that are made when a device first needs them, and kept.
#pragma once

#include <map>
#include <tuple>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/cuda_device.h"

namespace dynacc::cuda {

// `Parts` tell the kernels of one device apart: a dtype, a size. Thread-safe; what is made stays
// where it is. To be kept in a static that is never destroyed.
template <typename Kernels, typename... Parts>
class KeptKernels {
 public:
  absl::StatusOr<const Kernels*> Get(const CudaDevice& device, Parts... parts,
                                     absl::FunctionRef<absl::StatusOr<Kernels>()> make) {
    absl::MutexLock lock(&mutex_);
    const auto key = std::tuple(&device, std::move(parts)...);
    auto it = made_.find(key);
    if (it == made_.end()) {
      DYNACC_ASSIGN_OR_RETURN(Kernels kernels, make());
      it = made_.emplace(key, std::move(kernels)).first;
    }
    return &it->second;
  }

 private:
  absl::Mutex mutex_;
  std::map<std::tuple<const CudaDevice*, Parts...>, Kernels> made_;
};

}  // namespace dynacc::cuda
