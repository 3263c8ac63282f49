// cuBLASLt, NVIDIA's library of matrix products, opened at run time. Nothing of it is linked, and
// its header is not needed: the few types and numbers that we use are declared here
// (tests/codegen/targets/cuda/cublaslt_types_test.cc compares them with the header's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/cuda/driver_types.h"

namespace dynacc::cuda {

namespace cublaslt {

using Status = int;
// Opaque, each a pointer to what the library keeps.
using Handle = struct HandleOf*;
using Operation = struct OperationOf*;
using Layout = struct LayoutOf*;
using Preference = struct PreferenceOf*;

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

inline constexpr Status kSuccess = 0, kAllocationFailed = 3, kInvalidValue = 7,
                        kExecutionFailed = 13, kNotSupported = 15;
// cudaDataType
inline constexpr int kReal32 = 0, kReal64 = 1, kReal16 = 2, kComplex32 = 4, kComplex64 = 5;
// cublasComputeType_t
inline constexpr int kCompute32 = 68, kCompute64 = 70;
// cublasOperation_t
inline constexpr int32_t kAsItIs = 0, kTransposed = 1;
// cublasLtMatmulDescAttributes_t
inline constexpr int kTransposeA = 3, kTransposeB = 4;
// cublasLtMatrixLayoutAttribute_t
inline constexpr int kBatchCount = 5, kBatchStride = 6;
// cublasLtMatmulPreferenceAttributes_t
inline constexpr int kMaxWorkspaceBytes = 1, kAlignmentA = 5, kAlignmentB = 6, kAlignmentC = 7,
                     kAlignmentD = 8;

}  // namespace cublaslt

// The functions, by their own names. Immutable; thread-safe, as the library is.
struct CublasLt {
  // The table's signatures are written with the names of this namespace.
  using Status = cublaslt::Status;
  using Handle = cublaslt::Handle;
  using Operation = cublaslt::Operation;
  using Layout = cublaslt::Layout;
  using Preference = cublaslt::Preference;
  using Algorithm = cublaslt::Algorithm;
  using Heuristic = cublaslt::Heuristic;
  using Stream = cuda::Stream;
#define DYNACC_CUBLASLT_FUNCTION(type, name, parameters) type(*name) parameters = nullptr;
#include "runtime/cuda/cublaslt_functions.def"
#undef DYNACC_CUBLASLT_FUNCTION

  // Opens the library at `path`, for the life of the process. UNAVAILABLE: it is not there, or
  // lacks a function.
  static absl::StatusOr<CublasLt> Open(const std::string& path);

  // OK, or INTERNAL with the status's name: `what` failed.
  absl::Status Check(Status status, absl::string_view what) const;
};

// The library that DYNACC_CUBLASLT names, or libcublasLt.so.13 or .12; opened at the first call.
// UNAVAILABLE, with the reason, if there is none, if DYNACC_CUBLASLT is 0, or if only the driver is
// another one than the system's (DYNACC_CUDA_DRIVER), which the library would not know of.
const absl::StatusOr<CublasLt>& ProcessCublasLt();

}  // namespace dynacc::cuda
