// CudaDevice: one GPU: its primary context, memory pool, modules, and what became of it.
//
// The primary context is the one that CUDA's runtime, PyTorch and CuPy use, so pointers may be
// exchanged with them. It is made current only for the extent of a CudaScope.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "runtime/cuda/cuda_driver.h"

namespace dynacc::cuda {

class CudaStream;

struct CudaMemoryStats {  // bytes of the pool
  uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};

class CudaDevice {
 public:
  // Opens the device of that number among those that the process may use. `driver` outlives it.
  // Its memory pool takes no more than DYNACC_CUDA_MEMORY says. OUT_OF_RANGE: there is no such
  // device. UNIMPLEMENTED: it has no memory pools, or the driver is too old to limit them.
  static absl::StatusOr<std::unique_ptr<CudaDevice>> Open(const CudaDriver& driver, int ordinal);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const CudaDriver& driver() const { return driver_; }
  cuda::Context context() const { return context_; }
  cuda::MemoryPool pool() const { return pool_; }
  int ordinal() const { return ordinal_; }
  const std::string& name() const { return name_; }
  int architecture() const { return architecture_; }  // 90 for compute capability 9.0
  int multiprocessors() const { return multiprocessors_; }

  // As CudaDriver::Check. The first loss is remembered: from then on the device is unusable.
  absl::Status Check(cuda::Result result, absl::string_view what);

  // OK, or DATA_LOSS with the error by which the context was lost. Lost for good: CUDA offers no
  // way back in the same process that would not pull memory from under other libraries.
  absl::Status status() const;

  // A stream for one user at a time, from those given back or a new one; the scope must be open.
  absl::StatusOr<std::unique_ptr<CudaStream>> AcquireStream();
  void ReleaseStream(std::unique_ptr<CudaStream> stream);

  // The stream of all tensors of the device (cuda_memory.h): their work is done in the order in
  // which it was given, by whatever thread. Made at the first call; the scope must be open.
  absl::StatusOr<CudaStream*> TensorStream();

  // Gives what the pool holds but nobody uses back to the device.
  absl::Status TrimPool();
  absl::StatusOr<CudaMemoryStats> MemoryStats();

 private:
  CudaDevice(const CudaDriver& driver, int ordinal);
  absl::Status Start();
  absl::Status ReadProperties();
  absl::Status MakePool();
  absl::StatusOr<int> Attribute(cuda::DeviceAttribute attribute);

  const CudaDriver& driver_;
  const int ordinal_;
  cuda::Device device_ = 0;
  cuda::Context context_ = nullptr;
  cuda::MemoryPool pool_ = nullptr;
  std::string name_;
  int architecture_ = 0;
  int multiprocessors_ = 0;
  mutable absl::Mutex mutex_;
  absl::Status lost_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> is_lost_ = false;
  std::vector<std::unique_ptr<CudaStream>> streams_ ABSL_GUARDED_BY(mutex_);
  absl::Mutex tensor_stream_mutex_;
  std::unique_ptr<CudaStream> tensor_stream_ ABSL_GUARDED_BY(tensor_stream_mutex_);
  std::atomic<CudaStream*> made_tensor_stream_ = nullptr;  // the same, when it is there
};

// Makes the device's context current on this thread, and the one before current again.
class CudaScope {
 public:
  explicit CudaScope(CudaDevice& device);
  ~CudaScope();
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;

  // Why the context is not current, or OK.
  const absl::Status& status() const { return status_; }

 private:
  CudaDevice& device_;
  absl::Status status_;
};

// The process's device of that number; opened at the first call, never closed. The errors of
// ProcessCudaDriver and CudaDevice::Open.
absl::StatusOr<CudaDevice*> ProcessCudaDevice(int ordinal);

}  // namespace dynacc::cuda
