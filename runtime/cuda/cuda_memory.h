// CudaMemory: a block of a device's memory, as tensors own it.
//
// All work on it is given to the device's one stream for tensors (CudaDevice::TensorStream), so
// that nothing needs to be waited for but where the host reads elements or another library's stream
// comes in. Freeing is such work too: a kernel that was launched before still finds the block.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/cuda/cuda_stream.h"

namespace dynacc::cuda {

class CudaMemory {
 public:
  // `bytes` of memory. RESOURCE_EXHAUSTED as CudaStream::Allocate.
  static absl::StatusOr<std::shared_ptr<CudaMemory>> Allocate(CudaDevice& device, size_t bytes);

  // Takes over what `stream`, the device's stream for tensors, allocated.
  CudaMemory(CudaDevice& device, CudaStream& stream, cuda::DevicePointer pointer)
      : device_(device), stream_(stream), pointer_(pointer) {}
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  CudaDevice& device() const { return device_; }
  cuda::DevicePointer pointer() const { return pointer_; }

 private:
  CudaDevice& device_;
  CudaStream& stream_;
  const cuda::DevicePointer pointer_;
};

// Copies `bytes` at `from`, memory of `source`, to `to` of another device: from one to the other,
// if the machine has a way, and through the driver's own memory if not. The host waits for nothing;
// the two devices' streams for tensors wait for one another where they must.
absl::Status CopyBetween(CudaDevice& source, cuda::DevicePointer from, CudaMemory& to,
                         size_t bytes);

// Remembers, for this thread, why work on tensors failed: the run is given up, and who asked for it
// says so.
void NoteCudaFailure(const absl::Status& status);
// What was noted last, if anything; it is forgotten.
absl::Status TakeCudaFailure();

// Runs `work`, a function of the device's stream for tensors that gives a Status, in the device's
// scope.
template <typename Work>
absl::Status OnTensorStream(CudaDevice& device, Work work) {
  const CudaScope scope(device);
  if (!scope.status().ok()) return scope.status();
  absl::StatusOr<CudaStream*> stream = device.TensorStream();
  return stream.ok() ? work(**stream) : stream.status();
}

}  // namespace dynacc::cuda
