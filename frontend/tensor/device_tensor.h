// Tensors in a GPU's memory: objects of a type of their own below dynacc.Tensor.
//
// They are TensorObjects whose `device` is not 0 and whose `data` is the device's address. IsTensor
// does not hold for them, so nothing that reads elements on the host can meet one; views, which are
// sizes and strides alone, are made of both (IsAnyTensor).
//
// ORDER. All work on a device's tensors is given to one stream (CudaMemory) and goes on while the
// program does. The host waits for it where it needs elements: to_device("cpu"), repr, item,
// tolist, float, bool, int, index and complex of a tensor, pickling; before the memory of another
// library that a tensor looks at is given back; and wherever a function has no kernel and runs on
// the host. An error of a kernel shows there, and names what was running since the last such place.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "frontend/tensor/tensor_object.h"

namespace dynacc::tensor {

// Null until MakeDeviceTensorType.
PyTypeObject* DeviceTensorType();

// Makes the type, below Tensor's. False with an exception set.
bool MakeDeviceTensorType();

inline bool IsDeviceTensor(BorrowedRef object) {
  return DeviceTensorType() != nullptr && Py_TYPE(object) == DeviceTensorType();
}
inline bool IsAnyTensor(BorrowedRef object) { return IsTensor(object) || IsDeviceTensor(object); }

// All of these give null, or false, with an exception set: MemoryError, or RuntimeError for a
// device that cannot be used (any more), with what was running on it.

// A copy of the elements in host memory; waits for the device.
Ref CopyToHost(TensorObject* tensor);

// A copy of a host tensor on a device (1: the first one), whose work is only given to the device.
Ref CopyToDevice(TensorObject* tensor, int device);

// A copy of a tensor on a device on another one, without the host, if it has no gaps; else null and
// no exception. Its work is only given to the devices.
Ref CopyBetweenDevices(TensorObject* tensor, int device);

// The result of a run that stays on the device.
Ref TensorOfResult(const StridedView& view, std::shared_ptr<void> memory, int device);

// A tensor over device memory that `owner` keeps alive until the device's work on it is done.
Ref TensorOverDeviceMemory(Ref owner, char* data, DType dtype, absl::Span<const int64_t> shape,
                           absl::Span<const int64_t> strides, bool read_only, int device);

// Waits for the tensors' work on the device.
bool AwaitDeviceWork(int device);
// The same for those who read no results: errors are left to those who do.
void FinishDeviceWork(int device);

// Lets a stream of another library start its later work after the tensors' so far, or the other way
// round. ValueError: it belongs to another device.
bool LetStreamWait(int device, uint64_t stream);
bool WaitForStream(int device, uint64_t stream);

// The handle of the device's stream for tensors; 0 with an exception set.
uint64_t TensorStreamHandle(int device);

// How many devices this process may use; 0 without a driver.
int DeviceCount();

// The device (1: the first) whose memory is at `address`; 0 with an exception set: none's.
int DeviceOfAddress(uint64_t address);

// For messages and __array__: "the tensor is on cuda:0 ...", as the exception that makes the
// functions of the namespace run on the device (dynacc._devices.NotOnHost).
void RaiseNotOnHost(int device);

// dynacc.Device of that number; borrowed. Null with an exception set.
BorrowedRef DeviceObject(int device);

// Raises why the thread's last run on a device failed and returns true, or returns false.
bool RaiseDeviceFailure();

}  // namespace dynacc::tensor
