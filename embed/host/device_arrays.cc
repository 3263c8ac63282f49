#include "embed/host/device_arrays.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "embed/host/arrays.h"
#include "embed/host/element_types.h"
#include "embed/host/errors.h"
#include "embed/host/host_buffer.h"
#include "embed/host/object_handle.h"
#include "frontend/arrays/native/device_tensor.h"
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
  const int devices = DeviceCount();
  if (view.device > devices) {
    return absl::InvalidArgumentError(absl::StrCat("an array is on CUDA device ", view.device - 1,
                                                   " of this process, which has ", devices));
  }
  if (reinterpret_cast<uintptr_t>(view.data) % RowOf(view.type)->alignment != 0) {
    return absl::InvalidArgumentError("an array on a device is not aligned to its elements");
  }
  if (view.shape.size() > kMaxTensorRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array on a device has ", view.shape.size(), " axes"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Ref> DeviceTensorOver(const TensorView& view, std::shared_ptr<void> owner) {
  DYNACC_RETURN_IF_ERROR(CheckDevice(view));
  DYNACC_RETURN_IF_ERROR(LoadTensors());
  DYNACC_ASSIGN_OR_RETURN(Ref buffer, MakeHostBuffer(view, std::move(owner)));
  Ref tensor =
      TensorOverDeviceMemory(std::move(buffer), static_cast<char*>(view.data), DTypeOf(view.type),
                             view.shape, view.strides, !view.writable, view.device);
  if (!tensor) return TakeException();
  return tensor;
}

bool IsNativeTensor(BorrowedRef object) { return IsAnyTensor(object); }

absl::StatusOr<Tensor> NativeTensorOf(BorrowedRef object) {
  TensorObject* tensor = AsTensor(object);
  if (tensor->device != 0 && !AwaitDeviceWork(tensor->device)) return TakeException();
  TensorView view{tensor->data, ElementTypeOf(tensor->dtype), {},
                  {},           !tensor->read_only,           tensor->device};
  const absl::Span<const int64_t> sizes = tensor->sizes();
  view.shape.assign(sizes.begin(), sizes.end());
  view.strides.assign(tensor->strides(), tensor->strides() + tensor->rank());
  return TensorAccess::Make(std::move(view), Share(Ref::New(object)));
}

}  // namespace dynacc
