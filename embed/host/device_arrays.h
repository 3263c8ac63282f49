// dynacc.Tensor objects, in a GPU's memory or the host's, between the host and Python. All need the
// GIL.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "embed/include/dynacc/tensor.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// A dynacc.Tensor over the memory of a view that is complete; keeps `owner` (may be null) alive,
// and until a device's work on it is done. Imports dynacc. INVALID_ARGUMENT for a device that is
// not there, and for elements that do not lie at multiples of their size.
absl::StatusOr<Ref> NativeTensorOver(const TensorView& view, std::shared_ptr<void> owner);

bool IsNativeTensor(BorrowedRef object);

// Such an object as a Tensor that shares its memory, on which no work is going on any more.
absl::StatusOr<Tensor> NativeTensorOf(BorrowedRef object);

}  // namespace dynacc
