// HostBuffer: the Python object that stands for memory of the host.
//
// It has one attribute, `__array_struct__`, from which numpy.asarray makes an array over that
// memory. The array keeps the HostBuffer alive, and that keeps the owner alive.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "embed/include/dynacc/tensor.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// INVALID_ARGUMENT for a view that describes no memory: a negative length, strides of another rank,
// no data where there are elements.
absl::Status CheckView(const TensorView& view);

// A HostBuffer over `view`, checked as above; `owner` may be null.
absl::StatusOr<Ref> MakeHostBuffer(const TensorView& view, std::shared_ptr<void> owner);

// `view` with its strides filled in, checked as above.
absl::StatusOr<TensorView> CompleteView(TensorView view);

}  // namespace dynacc
