// MatmulShape: a matrix product as cuBLASLt is told of it, in column-major matrices.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "runtime/tensor/strided_view.h"

namespace dynacc::cuda {

// out = op(first) times op(second), for each place of a batch. The matrices are column-major, with
// so many elements from a column to the next; op transposes where `is_turned` says so.
struct MatmulShape {
  struct Matrix {
    bool is_turned = false;
    int64_t leading = 1;  // elements from one column to the next
    int64_t step = 0;     // elements from one place of the batch to the next
    int alignment = 1;    // of its address, in bytes: a power of 2 up to 16

    auto operator<=>(const Matrix&) const = default;
  };
  DType dtype = DType::kFloat32;
  int64_t rows = 0, columns = 0, depth = 0;
  int64_t batch = 1;
  Matrix first, second, out;

  auto operator<=>(const MatmulShape&) const = default;
};

// A product, and the addresses of its three matrices.
struct CublasLtCall {
  MatmulShape shape;
  const char* first = nullptr;
  const char* second = nullptr;
  char* out = nullptr;
};

// out = a times b, as MultiplyOnDevice takes them, for the library; nothing if it has no products
// of that dtype (integers), if a matrix has gaps between neighbours in both directions or lies
// backwards, if the leading axes are not one even batch, or if there is nothing to add.
//
// A row-major matrix is its transpose seen column by column, so a row-major result is computed as
// its transpose, the operands exchanged. A batch whose second operand is always the same, and whose
// first ones lie one after the other, is one product of all their rows.
std::optional<CublasLtCall> AsCublasLtCall(const StridedView& a, const StridedView& b,
                                           const StridedView& out);

}  // namespace dynacc::cuda
