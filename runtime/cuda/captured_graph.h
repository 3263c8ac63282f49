// CapturedGraph: work of a device that was given once and is given again by one call, as a CUDA
// graph.
//
// Kernels, copies and a library's products go into it with the addresses that they were given, so
// it is for memory that stays where it is.
#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/cuda_stream.h"

namespace dynacc::cuda {

class CapturedGraph {
 public:
  // What `give` gives to the stream that it is called with; none of it is done. That stream is no
  // one else's, so that other threads' work does not get in. The device's scope must be open. The
  // errors of `give` and of the driver, which may not be able to capture something; then nothing is
  // left behind.
  static absl::StatusOr<std::unique_ptr<CapturedGraph>> Capture(
      CudaDevice& device, absl::FunctionRef<absl::Status(CudaStream&)> give);
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  // Gives all of it to `stream`.
  absl::Status Launch(CudaStream& stream) const;

 private:
  CapturedGraph(CudaDevice& device, cuda::GraphExec graph) : device_(device), graph_(graph) {}

  CudaDevice& device_;
  const cuda::GraphExec graph_;
};

}  // namespace dynacc::cuda
