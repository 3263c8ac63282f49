// Tensors over another's memory in another shape.
//
// All give null with an exception set: ValueError or IndexError for what does not fit.
#pragma once

#include <optional>

#include "frontend/tensor/tensor_object.h"

namespace dynacc::tensor {

// The axes in another order; `axes` may be negative and must name each once.
Ref PermuteDims(TensorObject* tensor, absl::Span<const int64_t> axes);

// The last two axes exchanged; there must be two.
Ref SwapLastAxes(TensorObject* tensor);

// The elements in C order in another shape, one of whose sizes may be -1. `copy`: always, never
// (ValueError if it takes one), or only where it takes one.
Ref Reshape(TensorObject* tensor, absl::Span<const int64_t> shape, std::optional<bool> copy);

// Repeated along axes of size 1 and new leading ones, read-only.
Ref BroadcastTo(TensorObject* tensor, absl::Span<const int64_t> shape);

}  // namespace dynacc::tensor
