// FusedMatmul: matrix products by oneDNN, with a bias, an activation and the like in the same
// call.
//
// ORDER. Sums are added in the order that oneDNN likes, by fused operations: results differ from
// NumPy's in the last digits. The same product with the same number of threads has the same bits.
// Epilogue steps that runtime/cpu/onednn/epilogue.def calls exact have the bits of the operation
// done to the stored product.
//
// SPEED. Measured with oneDNN 2.6 on a Zen 5 core, float32, where 240 GFLOP/s are the most that
// was seen: parts of 64 to 128 rows reach 170 to 230, twice our products in order; whole products
// of 256 rows and more a half of that, as what they read of the weights falls out of the cache. So
// large products are computed in parts of kPartRows rows, which several threads share. Weights in
// the order that the machine code reads (packed_weights.h) gain 10 to 20 % then, less than bringing
// them into it costs, and several times as much with few rows.
//
// CODE. oneDNN makes machine code for each shape, which takes 0.2 to 1.2 ms; it is kept
// (kMostPrimitives), and found again by shape, layout and epilogue.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/cpu/onednn/epilogue.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// Rows that one call computes.
inline constexpr int64_t kPartRows = 128;

class PackedWeights;

// Matrices of one operand. Strides are in elements. A stack of one may have any stride.
struct MatrixStack {
  const char* data = nullptr;
  int64_t stride = 0;  // from matrix to matrix; 0: there is one for all
  int64_t row = 0;
  int64_t column = 0;
  const PackedWeights* packed = nullptr;  // of `b`, if it is one: `data` is its data
};

struct FusedMatmulStep {
  EpilogueKind kind;
  float alpha = 0;
  float beta = 0;
  const char* data = nullptr;  // of arrays: dense, one row or as large as the product
  bool is_row = false;
};

// c[i] = epilogue(a[i] b[i]) for each of `stack` products; at least one of each size.
struct FusedMatmul {
  DType dtype = DType::kFloat32;  // of the result and the epilogue's arrays
  DType operands =
      DType::kFloat32;  // or bfloat16: then sums are float32's, of what are exact products
  int64_t stack = 1, rows = 0, inner = 0, columns = 0;
  MatrixStack a;  // of each operand the row stride or the column stride is 1
  MatrixStack b;
  char* c = nullptr;  // dense, in C order
  // Functions of one kind have the same alpha and beta: oneDNN 2.6 takes the first ones for all.
  absl::Span<const FusedMatmulStep> epilogue;
};

// Whether oneDNN is there and has quick code for products of such operands on this CPU: of bfloat16
// it wants AVX-512.
bool HasFusedMatmuls(DType operands);

// Computes the product. OneDnnStatus() must be OK. The floating-point flags that are raised are
// raised on the calling thread: FE_INVALID where a NaN meets a function, as some functions lose it.
// UNAVAILABLE if oneDNN cannot compute it, or only by its plain loops; RESOURCE_EXHAUSTED.
absl::Status MultiplyFused(const FusedMatmul& product);

// Products that were prepared since the process started: those of known shapes are not counted.
int64_t FusedMatmulsPrepared();

}  // namespace dynacc::cpu
