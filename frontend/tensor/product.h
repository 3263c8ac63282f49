// Eager matrix products of tensors.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "frontend/tensor/tensor_object.h"

namespace dynacc::tensor {

// a @ b with the bits that captured code gives, of tensors of one dtype in host memory, `b` of rank
// 2 and more: of float32 and bfloat16 by oneDNN (runtime/cpu/onednn), if they are large
// enough for it and it has quick code for them (of bfloat16 the sums are float32's, rounded once);
// else of float32 and float64 by the quick loop of products in order (runtime/cpu/matmul), if there
// is one. None otherwise, and where the shapes do not fit. Null with a MemoryError.
Ref MultiplyTensors(TensorObject* a, TensorObject* b);

// The axes of a tensor, (images, space..., channels), that those of its windows walk along, as
// (images, places..., filter..., channels), for `spatial` axes of space.
std::vector<int64_t> WindowAxes(int spatial);

// The product of windows of `images` by `filters`, (filter..., channels, features), as a matrix
// with as many columns as features: `shape` is that of the windows, which must lie in `images`,
// `strides` and `dilations` lead along each axis of space from window to window and within them.
// Null with a MemoryError; None where oneDNN is not to compute a product of copied windows.
Ref ConvolveTensors(TensorObject* images, TensorObject* filters, absl::Span<const int64_t> shape,
                    absl::Span<const int64_t> strides, absl::Span<const int64_t> dilations);

}  // namespace dynacc::tensor
