// MatmulLibrary: cuBLASLt on one device: its handle, and the products that it was asked for.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "runtime/cuda/cublaslt.h"
#include "runtime/cuda/cuda_stream.h"
#include "runtime/cuda/matmul_shape.h"

namespace dynacc::cuda {

class MatmulLibrary;

// Where a product's matrices are, and what its algorithm needs.
struct ProductOperands {
  cuda::DevicePointer first = 0, second = 0, out = 0, workspace = 0;
};

// One product's descriptors and the algorithm that the library's heuristic chose. Immutable.
class LibraryMatmul {
 public:
  ~LibraryMatmul();
  LibraryMatmul(const LibraryMatmul&) = delete;
  LibraryMatmul& operator=(const LibraryMatmul&) = delete;

  // What Give needs at `workspace`, a multiple of 256; may be 0.
  size_t workspace_bytes() const { return workspace_bytes_; }

  // Gives the product to the stream, in the device's CudaScope. UNAVAILABLE: the library has
  // failed, and is not asked again on this device; nothing says that the device is lost.
  absl::Status Give(CudaStream& stream, const ProductOperands& operands) const;

 private:
  friend class MatmulLibrary;
  explicit LibraryMatmul(MatmulLibrary& library) : library_(library) {}
  absl::Status Describe(const MatmulShape& shape);
  absl::Status Choose(const MatmulShape& shape, uint64_t most_workspace, bool& has_algorithm);

  MatmulLibrary& library_;
  cublaslt::Operation operation_ = nullptr;
  cublaslt::Layout first_ = nullptr, second_ = nullptr, out_ = nullptr;
  cublaslt::Algorithm algorithm_ = {};
  size_t workspace_bytes_ = 0;
  const void* one_ = nullptr;  // of the dtype that sums are scaled in
  const void* zero_ = nullptr;
};

class MatmulLibrary {
 public:
  // The device's, made at the first call, in its CudaScope; null: there is none (ProcessCublasLt).
  static MatmulLibrary* Of(CudaDevice& device);

  // Thread-safe. Null: the library has no algorithm for this product, or has failed before.
  std::shared_ptr<const LibraryMatmul> Find(const MatmulShape& shape);

 private:
  friend class LibraryMatmul;
  MatmulLibrary(CudaDevice& device, const CublasLt& functions)
      : device_(device), functions_(functions) {}
  absl::StatusOr<std::shared_ptr<const LibraryMatmul>> Make(const MatmulShape& shape);
  // Warns once; from now on products are emitted kernels'.
  absl::Status Fail(const absl::Status& status);

  CudaDevice& device_;
  const CublasLt& functions_;
  cublaslt::Handle handle_ = nullptr;
  std::atomic<bool> has_failed_ = false;
  absl::Mutex mutex_;
  // Of those without an algorithm null. A program whose sizes never come again does not fill
  // memory.
  std::map<MatmulShape, std::shared_ptr<const LibraryMatmul>> products_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynacc::cuda
