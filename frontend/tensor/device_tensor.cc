#include "frontend/tensor/device_tensor.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/thread_end.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/python_part.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/cuda_memory.h"
#include "runtime/executor/copy_step.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::tensor {
namespace {

constexpr char kMemory[] = "dynacc.cuda_memory";
constexpr char kForeign[] = "dynacc.foreign_cuda_memory";

PyTypeObject* device_tensor_type = nullptr;

PyObject* ErrorFor(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return PyExc_MemoryError;
  if (absl::IsFailedPrecondition(status)) return PyExc_IndexError;  // CudaStream::BeyondFlag
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ? PyExc_ValueError
                                                                       : PyExc_RuntimeError;
}

bool Raise(const absl::Status& status) {
  PyErr_SetString(ErrorFor(status), std::string(status.message()).c_str());
  return false;
}

// Runs work on the device's stream for tensors, without the GIL.
template <typename Work>
bool OnDevice(int device, Work work) {
  absl::Status status;
  PyThreadState* const state = PyEval_SaveThread();
  absl::StatusOr<cuda::CudaDevice*> opened = cuda::ProcessCudaDevice(device - 1);
  status = opened.status();
  if (opened.ok()) {
    std::string recent;
    status = cuda::OnTensorStream(**opened, [&](cuda::CudaStream& stream) {
      recent = stream.RecentWork();
      return work(**opened, stream);
    });
    if (absl::IsDataLoss(status) && !recent.empty()) {
      status = Annotate(status, absl::StrCat("on the GPU, in ", recent));
    }
  }
  UpToThreadEnd([state] { PyEval_RestoreThread(state); });
  return status.ok() || Raise(status);
}

void DropMemory(PyObject* capsule) {
  delete static_cast<std::shared_ptr<cuda::CudaMemory>*>(PyCapsule_GetPointer(capsule, kMemory));
}

Ref MemoryCapsule(std::shared_ptr<cuda::CudaMemory> memory) {
  auto owned = std::make_unique<std::shared_ptr<cuda::CudaMemory>>(std::move(memory));
  Ref capsule = Ref::Steal(PyCapsule_New(owned.get(), kMemory, DropMemory));
  if (capsule) owned.release();
  return capsule;
}

// What another library owns is given back when no work of ours can touch it any more.
void DropForeign(PyObject* capsule) {
  auto* const owner = static_cast<PyObject*>(PyCapsule_GetPointer(capsule, kForeign));
  FinishDeviceWork(static_cast<int>(reinterpret_cast<intptr_t>(PyCapsule_GetContext(capsule))));
  Py_DECREF(owner);
}

StridedView HostView(TensorObject* tensor) {
  StridedView view;
  ReadTensor(tensor, &view);
  return view;
}

absl::Status CopyBytesToHost(cuda::CudaStream& stream, const StridedView& from,
                             const StridedView& to) {
  const MemoryBounds bounds = BoundsOf(from);
  const int64_t bytes = bounds.end - bounds.begin;
  const auto begin = reinterpret_cast<cuda::DevicePointer>(bounds.begin);
  const bool same = std::equal(from.strides, from.strides + from.rank, to.strides);
  if (same) return stream.CopyToHost(BoundsOf(to).begin, begin, bytes);
  executor::ScratchBlock copy;
  if (!copy.Allocate(bytes)) return absl::ResourceExhaustedError("no host memory for a copy");
  DYNACC_RETURN_IF_ERROR(stream.CopyToHost(copy.data(), begin, bytes));
  StridedView elements = from;
  elements.data = copy.data() + (from.data - bounds.begin);
  executor::CopyElements(elements, to);
  return absl::OkStatus();
}

bool HasNoGaps(const StridedView& view) {
  const MemoryBounds bounds = BoundsOf(view);
  return bounds.end - bounds.begin == view.size() * ItemSize(view.dtype) &&
         std::all_of(view.strides, view.strides + view.rank,
                     [](int64_t stride) { return stride > 0; });
}

// --- The type -------------------------------------------------------------------------------

int NoBuffer(PyObject* self, Py_buffer* buffer, int) {
  buffer->obj = nullptr;
  Ref device = Ref::New(DeviceObject(AsTensor(self)->device));
  if (device) {
    PyErr_Format(PyExc_BufferError, "the tensor is on %U; to_device(\"cpu\") copies it",
                 device.get());
  }
  return -1;
}

PyObject* NoArray(PyObject* self, PyObject*, PyObject*) {
  RaiseNotOnHost(AsTensor(self)->device);
  return nullptr;
}

PyObject* NoInterface(PyObject*, void*) {
  PyErr_SetString(PyExc_AttributeError, "__array_interface__");
  return nullptr;
}

PyObject* CudaInterface(PyObject* self, void*) {
  return CallPythonPart("cuda_array_interface", {self}).Release();
}

PyGetSetDef attributes[] = {
    {"__array_interface__", NoInterface, nullptr, "The memory is not the CPU's.", nullptr},
    {"__cuda_array_interface__", CudaInterface, nullptr, "The CUDA array interface, version 3.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(NoArray)),
     METH_VARARGS | METH_KEYWORDS, "TypeError: nothing is copied to the host unasked."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject* DeviceTensorType() { return device_tensor_type; }

bool MakeDeviceTensorType() {
  if (device_tensor_type != nullptr) return true;
  PyType_Slot slots[] = {
      {Py_bf_getbuffer, reinterpret_cast<void*>(NoBuffer)},
      {Py_tp_getset, attributes},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("A tensor in a GPU's memory.")},
      {0, nullptr},
  };
  PyType_Spec spec = {
      "dynacc.DeviceTensor", sizeof(TensorObject), 2 * sizeof(int64_t),
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyTypeObject* const base = TensorType();
  base->tp_flags |= Py_TPFLAGS_BASETYPE;  // for this one only
  auto* const made = PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base));
  base->tp_flags &= ~Py_TPFLAGS_BASETYPE;
  device_tensor_type = reinterpret_cast<PyTypeObject*>(made);  // lives as long as the process
  return made != nullptr;
}

BorrowedRef DeviceObject(int device) {
  static auto& made = *new std::vector<PyObject*>;  // under the GIL
  while (static_cast<int>(made.size()) <= device) {
    const int number = static_cast<int>(made.size());
    Ref module = Ref::Steal(PyImport_ImportModule("dynacc._devices"));
    const std::string name = number == 0 ? "cpu" : absl::StrCat("cuda:", number - 1);
    if (!module) return nullptr;
    Ref object =
        Ref::Steal(number == 0 ? PyObject_GetAttrString(module.get(), "CPU")
                               : PyObject_CallMethod(module.get(), "Device", "s", name.c_str()));
    if (!object) return nullptr;
    made.push_back(object.Release());
  }
  return made[device];
}

void RaiseNotOnHost(int device) {
  Ref module = Ref::Steal(PyImport_ImportModule("dynacc._devices"));
  Ref type = module ? Ref::Steal(PyObject_GetAttrString(module.get(), "NotOnHost")) : Ref();
  if (!type) return;
  PyErr_Format(type.get(),
               "the tensor is on cuda:%d, and nothing is copied to the host unasked; "
               "to_device(\"cpu\") copies it",
               device - 1);
}

Ref CopyToHost(TensorObject* tensor) {
  StridedView from;
  if (!ReadTensor(tensor, &from)) {
    PyErr_SetString(PyExc_ValueError, "a tensor on a device has at most 8 dimensions");
    return Ref();
  }
  Ref host = HasNoGaps(from) ? NewTensor(tensor->dtype, tensor->sizes(),
                                         {tensor->strides(), static_cast<size_t>(tensor->rank())})
                             : NewTensor(tensor->dtype, tensor->sizes());
  if (!host || tensor->size() == 0) return host;
  const StridedView to = HostView(AsTensor(host));
  const bool done = OnDevice(tensor->device, [&](cuda::CudaDevice&, cuda::CudaStream& stream) {
    return CopyBytesToHost(stream, from, to);
  });
  if (done) Count(ThreadStats().bytes_from_device, to.size() * ItemSize(to.dtype));
  return done ? host : Ref();
}

Ref CopyToDevice(TensorObject* tensor, int device) {
  StridedView from;
  if (!ReadTensor(tensor, &from)) {
    PyErr_SetString(PyExc_ValueError, "a tensor on a device has at most 8 dimensions");
    return Ref();
  }
  Ref dense = Ref::New(reinterpret_cast<PyObject*>(tensor));
  if (!HasNoGaps(from)) dense = CastTensor(tensor, tensor->dtype);
  if (!dense) return Ref();
  from = HostView(AsTensor(dense));
  const MemoryBounds bounds = BoundsOf(from);
  const int64_t bytes = from.size() * ItemSize(from.dtype);
  std::shared_ptr<cuda::CudaMemory> memory;
  const bool done =
      OnDevice(device, [&](cuda::CudaDevice& target, cuda::CudaStream& stream) -> absl::Status {
        DYNACC_ASSIGN_OR_RETURN(memory, cuda::CudaMemory::Allocate(target, bytes));
        return bytes == 0 ? absl::OkStatus()
                          : stream.CopyToDevice(memory->pointer(), bounds.begin, bytes);
      });
  if (!done) return Ref();
  Count(ThreadStats().bytes_to_device, bytes);
  const auto address = reinterpret_cast<char*>(memory->pointer());
  from.data = address + (bytes == 0 ? 0 : from.data - bounds.begin);
  return TensorOfResult(from, std::move(memory), device);
}

Ref CopyBetweenDevices(TensorObject* tensor, int device) {
  StridedView from;
  if (!ReadTensor(tensor, &from) || !HasNoGaps(from)) return Ref();
  const MemoryBounds bounds = BoundsOf(from);
  const int64_t bytes = from.size() * ItemSize(from.dtype);
  cuda::CudaDevice* source = nullptr;
  std::shared_ptr<cuda::CudaMemory> memory;
  const bool done =
      OnDevice(tensor->device,
               [&](cuda::CudaDevice& opened, cuda::CudaStream&) {
                 source = &opened;
                 return absl::OkStatus();
               }) &&
      OnDevice(device, [&](cuda::CudaDevice& target, cuda::CudaStream&) -> absl::Status {
        DYNACC_ASSIGN_OR_RETURN(memory, cuda::CudaMemory::Allocate(target, bytes));
        if (bytes == 0) return absl::OkStatus();
        return cuda::CopyBetween(*source, reinterpret_cast<cuda::DevicePointer>(bounds.begin),
                                 *memory, bytes);
      });
  if (!done) return Ref();
  const auto address = reinterpret_cast<char*>(memory->pointer());
  from.data = address + (bytes == 0 ? 0 : from.data - bounds.begin);
  return TensorOfResult(from, std::move(memory), device);
}

Ref TensorOfResult(const StridedView& view, std::shared_ptr<void> memory, int device) {
  Ref owner = MemoryCapsule(std::static_pointer_cast<cuda::CudaMemory>(std::move(memory)));
  if (!owner) return Ref();
  const auto rank = static_cast<size_t>(view.rank);
  return NewTensorOver(std::move(owner), view.data, view.dtype, {view.shape, rank},
                       {view.strides, rank}, /*read_only=*/false, device);
}

Ref TensorOverDeviceMemory(Ref owner, char* data, DType dtype, absl::Span<const int64_t> shape,
                           absl::Span<const int64_t> strides, bool read_only, int device) {
  Ref capsule = Ref::Steal(PyCapsule_New(owner.get(), kForeign, nullptr));
  if (!capsule) return Ref();
  PyCapsule_SetContext(capsule.get(), reinterpret_cast<void*>(static_cast<intptr_t>(device)));
  owner.Release();
  PyCapsule_SetDestructor(capsule.get(), DropForeign);
  return NewTensorOver(std::move(capsule), data, dtype, shape, strides, read_only, device);
}

bool AwaitDeviceWork(int device) {
  return OnDevice(device,
                  [](cuda::CudaDevice&, cuda::CudaStream& stream) { return stream.Synchronize(); });
}

void FinishDeviceWork(int device) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  AwaitDeviceWork(device);
  PyErr_Restore(type, value, traceback);
}

bool LetStreamWait(int device, uint64_t stream) {
  return OnDevice(
      device, [&](cuda::CudaDevice&, cuda::CudaStream& own) { return own.LetHandleWait(stream); });
}

bool WaitForStream(int device, uint64_t stream) {
  return OnDevice(
      device, [&](cuda::CudaDevice&, cuda::CudaStream& own) { return own.WaitForHandle(stream); });
}

uint64_t TensorStreamHandle(int device) {
  uint64_t handle = 0;
  OnDevice(device, [&](cuda::CudaDevice&, cuda::CudaStream& own) {
    handle = reinterpret_cast<uint64_t>(own.handle());
    return absl::OkStatus();
  });
  return handle;
}

int DeviceCount() {
  return cuda::ProcessCudaDriver().ok() ? cuda::ProcessCudaDriver()->devices : 0;
}

int DeviceOfAddress(uint64_t address) {
  int ordinal = -1;
  const bool done = OnDevice(1, [&](cuda::CudaDevice& device, cuda::CudaStream&) -> absl::Status {
    int type = 0;
    const cuda::CudaDriver& driver = device.driver();
    const auto kind = driver.cuPointerGetAttribute(&type, cuda::kPointerMemoryType, address);
    if (kind != cuda::kSuccess || type != cuda::kMemoryTypeDevice) {
      return absl::InvalidArgumentError(absl::StrCat("no GPU's memory is at address ", address));
    }
    return device.Check(
        driver.cuPointerGetAttribute(&ordinal, cuda::kPointerDeviceOrdinal, address),
        "cuPointerGetAttribute");
  });
  return done ? ordinal + 1 : 0;
}

bool RaiseDeviceFailure() {
  const absl::Status failure = cuda::TakeCudaFailure();
  if (failure.ok()) return false;
  const bool has_type = absl::IsResourceExhausted(failure) || absl::IsFailedPrecondition(failure);
  PyErr_SetString(has_type ? ErrorFor(failure) : PyExc_RuntimeError,
                  std::string(failure.message()).c_str());
  return true;
}

}  // namespace dynacc::tensor
