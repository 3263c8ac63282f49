// Arrays between the host and Python. All need the GIL.
#pragma once

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "embed/include/dynacc/tensor.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// Builds a Tensor from its parts; tensor.h keeps them private.
class TensorAccess {
 public:
  static Tensor Make(TensorView view, std::shared_ptr<void> owner) {
    Tensor tensor;
    tensor.view_ = std::move(view);
    tensor.owner_ = std::move(owner);
    return tensor;
  }
  static const std::shared_ptr<void>& Owner(const Tensor& tensor) { return tensor.owner_; }
};

// A NumPy array over the host's memory, or a dynacc.Tensor if it is a device's; keeps `owner` (may
// be null) alive. Imports NumPy.
absl::StatusOr<Ref> ArrayOver(const TensorView& view, std::shared_ptr<void> owner);

// The same for an array of NumPy's own type whose elements have an ElementType, as nearly all have;
// nullopt for any other object.
std::optional<Tensor> PlainTensorOf(BorrowedRef object);

// `object` as a Tensor that shares its memory; nullopt if it is no array, or one whose elements
// have no ElementType.
absl::StatusOr<std::optional<Tensor>> TensorOf(BorrowedRef object);

// Whether `object` is a scalar of NumPy (numpy.generic).
bool IsArrayScalar(BorrowedRef object);

}  // namespace dynacc
