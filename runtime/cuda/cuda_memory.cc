#include "runtime/cuda/cuda_memory.h"

#include <utility>

#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

thread_local absl::Status failure;

}  // namespace

void NoteCudaFailure(const absl::Status& status) { failure = status; }

absl::Status TakeCudaFailure() { return std::exchange(failure, absl::OkStatus()); }

absl::StatusOr<std::shared_ptr<CudaMemory>> CudaMemory::Allocate(CudaDevice& device, size_t bytes) {
  std::shared_ptr<CudaMemory> memory;
  DYNACC_RETURN_IF_ERROR(OnTensorStream(device, [&](CudaStream& stream) -> absl::Status {
    DYNACC_ASSIGN_OR_RETURN(const cuda::DevicePointer pointer, stream.Allocate(bytes));
    memory = std::make_shared<CudaMemory>(device, stream, pointer);
    return absl::OkStatus();
  }));
  return memory;
}

absl::Status CopyBetween(CudaDevice& source, cuda::DevicePointer from, CudaMemory& to,
                         size_t bytes) {
  CudaStream* theirs = nullptr;
  DYNACC_RETURN_IF_ERROR(OnTensorStream(source, [&](CudaStream& stream) {
    theirs = &stream;
    return absl::OkStatus();
  }));
  CudaStream* own = nullptr;
  DYNACC_RETURN_IF_ERROR(OnTensorStream(to.device(), [&](CudaStream& stream) -> absl::Status {
    own = &stream;
    DYNACC_RETURN_IF_ERROR(stream.WaitForPeer(*theirs));
    return stream.CopyFromPeer(to.pointer(), source, from, bytes);
  }));
  // What is written to the source, or freed, from now on comes after the copy.
  absl::Status ordered =
      OnTensorStream(source, [&](CudaStream& stream) { return stream.WaitForPeer(*own); });
  if (ordered.ok()) return ordered;
  // The caller frees the source then: if its stream cannot wait for the copy, the host does.
  static_cast<void>(
      OnTensorStream(to.device(), [](CudaStream& stream) { return stream.Synchronize(); }));
  return ordered;
}

// A lost context has freed everything itself.
CudaMemory::~CudaMemory() {
  const CudaScope scope(device_);
  if (scope.status().ok()) stream_.Free(pointer_);
}

}  // namespace dynacc::cuda
