// CudaDriver: NVIDIA's driver library, opened at run time. Nothing of CUDA is linked.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/cuda/driver_types.h"

namespace dynacc::cuda {

// The functions, by their own names, and a reading of their results. Immutable; thread-safe.
struct CudaDriver {
#define DYNACC_CUDA_FUNCTION(name, version, parameters) cuda::Result(*name) parameters = nullptr;
  // The table's signatures are written with the names of this namespace.
  using Result = cuda::Result;
  using Device = cuda::Device;
  using DevicePointer = cuda::DevicePointer;
  using Context = cuda::Context;
  using Module = cuda::Module;
  using Function = cuda::Function;
  using Stream = cuda::Stream;
  using Event = cuda::Event;
  using MemoryPool = cuda::MemoryPool;
  using DeviceAttribute = cuda::DeviceAttribute;
  using PointerAttribute = cuda::PointerAttribute;
  using MemoryPoolAttribute = cuda::MemoryPoolAttribute;
  using MemoryPoolProperties = cuda::MemoryPoolProperties;
  using LaunchConfig = cuda::LaunchConfig;
#include "runtime/cuda/driver_functions.def"
#undef DYNACC_CUDA_FUNCTION

  int version = 0;  // of CUDA, that the driver supports: 13000 for 13.0
  int devices = 0;  // that this process may use

  // Opens the library at `path`, or libcuda.so.1 if it is empty, and starts it. Errors, each saying
  // what to do: UNAVAILABLE: no driver; one that is too old, with the entry points that it lacks;
  // no device, or none left by CUDA_VISIBLE_DEVICES; a driver that does not start. The library
  // stays open for the life of the process.
  static absl::StatusOr<CudaDriver> Open(const std::string& path);

  // OK, or an error that says `what` failed, with the driver's own name and text. Codes:
  // RESOURCE_EXHAUSTED (no memory), INVALID_ARGUMENT (an image that is not for this device),
  // DATA_LOSS (the context is lost: IsLoss), INTERNAL (others).
  absl::Status Check(cuda::Result result, absl::string_view what) const;
};

// Whether nothing more can be done in a context after this result.
bool IsLoss(cuda::Result result);

// The driver that DYNACC_CUDA_DRIVER names, or the system's; opened at the first call.
const absl::StatusOr<CudaDriver>& ProcessCudaDriver();

}  // namespace dynacc::cuda
