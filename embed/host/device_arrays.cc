#include "embed/host/device_arrays.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "embed/host/arrays.h"
#include "embed/host/element_types.h"
#include "embed/host/errors.h"
#include "embed/host/host_buffer.h"
#include "embed/host/object_handle.h"
#include "frontend/tensor/device_tensor.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Loads what makes tensors, and what makes their functions run on devices.
absl::Status LoadTensors() {
  static bool loaded = false;
  if (loaded) return absl::OkStatus();
  Ref package = Ref::Steal(PyImport_ImportModule("dynacc"));
  Ref type = package ? Ref::Steal(PyObject_GetAttrString(package.get(), "Tensor")) : Ref();
  if (!type) return TakeException();
  loaded = true;
  return absl::OkStatus();
}

absl::Status CheckDevice(const TensorView& view) {
  const int devices = tensor::DeviceCount();
  if (view.device > devices) {
    return absl::InvalidArgumentError(absl::StrCat("an array is on CUDA device ", view.device - 1,
                                                   " of this process, which has ", devices));
  }
  return absl::OkStatus();
}

// What tensors ask of memory that arrays do not.
absl::Status CheckMemory(const TensorView& view) {
  if (reinterpret_cast<uintptr_t>(view.data) % RowOf(view.type)->alignment != 0) {
    return absl::InvalidArgumentError(
        "an array on a device or of floats that NumPy lacks is not aligned to its elements");
  }
  if (view.shape.size() > tensor::kMaxTensorRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an array on a device or of floats that NumPy lacks has ", view.shape.size(), " axes"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Ref> NativeTensorOver(const TensorView& view, std::shared_ptr<void> owner) {
  if (view.device != 0) DYNACC_RETURN_IF_ERROR(CheckDevice(view));
  DYNACC_RETURN_IF_ERROR(CheckMemory(view));
  DYNACC_RETURN_IF_ERROR(LoadTensors());
  DYNACC_ASSIGN_OR_RETURN(Ref buffer, MakeHostBuffer(view, std::move(owner)));
  char* const data = static_cast<char*>(view.data);
  const DType dtype = DTypeOf(view.type);
  Ref tensor = view.device == 0
                   ? tensor::NewTensorOver(std::move(buffer), data, dtype, view.shape, view.strides,
                                           !view.writable)
                   : tensor::TensorOverDeviceMemory(std::move(buffer), data, dtype, view.shape,
                                                    view.strides, !view.writable, view.device);
  if (!tensor) return TakeException();
  return tensor;
}

bool IsNativeTensor(BorrowedRef object) { return tensor::IsAnyTensor(object); }

absl::StatusOr<Tensor> NativeTensorOf(BorrowedRef object) {
  tensor::TensorObject* tensor = tensor::AsTensor(object);
  if (tensor->device != 0 && !tensor::AwaitDeviceWork(tensor->device)) return TakeException();
  TensorView view{tensor->data, ElementTypeOf(tensor->dtype), {},
                  {},           !tensor->read_only,           tensor->device};
  const absl::Span<const int64_t> sizes = tensor->sizes();
  view.shape.assign(sizes.begin(), sizes.end());
  view.strides.assign(tensor->strides(), tensor->strides() + tensor->rank());
  return TensorAccess::Make(std::move(view), Share(Ref::New(object)));
}

}  // namespace dynacc
