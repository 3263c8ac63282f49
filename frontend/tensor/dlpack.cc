#include "frontend/tensor/dlpack.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "frontend/tensor/constant.h"
#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dlpack_structs.h"
#include "frontend/tensor/dtype_object.h"

namespace dynacc::tensor {
namespace {

constexpr char kOld[] = "dltensor";
constexpr char kOldUsed[] = "used_dltensor";
constexpr char kVersioned[] = "dltensor_versioned";
constexpr char kVersionedUsed[] = "used_dltensor_versioned";

// What keeps an exported tensor alive, with its strides in elements.
template <typename Managed>
struct Export {
  Managed managed;
  PyObject* tensor;
  int64_t strides[kMaxTensorRank];
};

dlpack::DataType TypeOf(DType dtype) {
  static constexpr uint8_t kCodes[] = {dlpack::kBool, dlpack::kInt, dlpack::kUInt, dlpack::kFloat,
                                       dlpack::kComplex};
  uint8_t code = kCodes[static_cast<int>(Info(dtype).kind)];
  if (dtype == DType::kBFloat16) code = dlpack::kBfloat;
  if (dtype == DType::kFloat8E4M3FN) code = dlpack::kFloat8E4M3FN;
  if (dtype == DType::kFloat8E5M2) code = dlpack::kFloat8E5M2;
  return {code, static_cast<uint8_t>(8 * ItemSize(dtype)), 1};
}

std::optional<DType> DTypeFor(const dlpack::DataType& type) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const dlpack::DataType known = TypeOf(dtype);
    if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return dtype;
  }
  return std::nullopt;
}

// Strides must be whole elements: they are not for the parts of a complex tensor.
bool Describe(TensorObject* tensor, int64_t* strides, dlpack::Tensor* out) {
  const int item = ItemSize(tensor->dtype);
  for (int i = 0; i < tensor->rank(); ++i) {
    if (tensor->shape()[i] > 1 && tensor->strides()[i] % item != 0) {
      PyErr_SetString(PyExc_BufferError,
                      "DLPack cannot express strides that are no whole elements");
      return false;
    }
    strides[i] = tensor->strides()[i] / item;
  }
  *out = {tensor->data,
          {tensor->device == 0 ? dlpack::kCpu : dlpack::kCuda, std::max(tensor->device - 1, 0)},
          tensor->rank(),
          TypeOf(tensor->dtype),
          tensor->shape(),
          strides,
          0};
  return true;
}

template <typename Managed>
void DeleteExport(Managed* managed) {
  auto* const all = static_cast<Export<Managed>*>(managed->context);
  // A consumer may call this from a thread without the GIL, or after the interpreter is gone.
  if (Py_IsInitialized()) {
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(all->tensor);
    PyGILState_Release(state);
  }
  delete all;
}

template <typename Managed>
std::unique_ptr<Export<Managed>> NewExport(TensorObject* tensor) {
  auto all = std::make_unique<Export<Managed>>();
  if (!Describe(tensor, all->strides, &all->managed.tensor)) return nullptr;
  all->tensor = Py_NewRef(reinterpret_cast<PyObject*>(tensor));
  all->managed.context = all.get();
  all->managed.deleter = DeleteExport<Managed>;
  return all;
}

dlpack::ManagedTensorVersioned* NewVersioned(TensorObject* tensor, bool is_copy) {
  auto all = NewExport<dlpack::ManagedTensorVersioned>(tensor);
  if (all == nullptr) return nullptr;
  all->managed.version = {dlpack::kMajor, dlpack::kMinor};
  all->managed.flags = (tensor->read_only ? uint64_t{dlpack::kReadOnly} : 0) |
                       (is_copy ? uint64_t{dlpack::kIsCopied} : 0);
  return &all.release()->managed;
}

// For a capsule that nobody consumed; what `Managed` points to was not deleted then.
template <typename Managed, const char* kName>
void DropCapsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kName)) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

template <typename Managed, const char* kName>
Ref Capsule(Managed* managed) {
  if (managed == nullptr) return Ref();
  Ref capsule = Ref::Steal(PyCapsule_New(managed, kName, DropCapsule<Managed, kName>));
  if (!capsule) managed->deleter(managed);
  return capsule;
}

// An imported tensor's owner: a capsule without a name that a consumer could look for, which calls
// the producer's deleter at its end.
constexpr char kImported[] = "dynacc.imported_dlpack";

template <typename Managed>
void DropImported(PyObject* capsule) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kImported));
  // The producer may use the memory again at once: nothing of ours may be on its way to it.
  if (managed->tensor.device.type == dlpack::kCuda) {
    FinishDeviceWork(managed->tensor.device.id + 1);
  }
  if (managed->deleter != nullptr) managed->deleter(managed);
}

bool IsUsable(const dlpack::Tensor& tensor) {
  if (tensor.device.type != dlpack::kCpu && tensor.device.type != dlpack::kCuda) {
    PyErr_SetString(PyExc_BufferError, "the tensor is neither in the CPU's memory nor in a GPU's");
    return false;
  }
  if (!DTypeFor(tensor.dtype)) {
    PyErr_Format(PyExc_BufferError, "no dtype of dynacc for DLPack's type %d of %d bits, %d lanes",
                 tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
    return false;
  }
  const auto address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
  if (address % static_cast<uintptr_t>(Info(*DTypeFor(tensor.dtype)).alignment) != 0) {
    PyErr_SetString(PyExc_BufferError, "the tensor's memory is not aligned to its elements");
    return false;
  }
  if (tensor.ndim > kMaxTensorRank) {
    PyErr_Format(PyExc_BufferError, "a tensor has at most %d dimensions", kMaxTensorRank);
    return false;
  }
  return true;
}

// The tensor over usable memory, which `owner` keeps alive.
Ref TensorOver(Ref owner, const dlpack::Tensor& from, bool read_only) {
  const DType dtype = *DTypeFor(from.dtype);
  const auto rank = static_cast<size_t>(from.ndim);
  int64_t strides[kMaxTensorRank];
  FillCOrder({from.shape, rank}, ItemSize(dtype), strides);
  for (size_t i = 0; from.strides != nullptr && i < rank; ++i) {
    strides[i] = from.strides[i] * ItemSize(dtype);
  }
  return NewTensorOver(std::move(owner), static_cast<char*>(from.data) + from.byte_offset, dtype,
                       {from.shape, rank}, {strides, rank}, read_only,
                       from.device.type == dlpack::kCuda ? from.device.id + 1 : 0);
}

// Without a tensor the memory stays the caller's.
template <typename Managed>
Ref Import(Managed* managed, bool read_only) {
  if (!IsUsable(managed->tensor)) return Ref();
  Ref owner = Ref::Steal(PyCapsule_New(managed, kImported, nullptr));
  if (!owner) return Ref();
  Ref tensor = TensorOver(owner, managed->tensor, read_only);
  if (tensor) PyCapsule_SetDestructor(owner.get(), DropImported<Managed>);
  return tensor;
}

Ref ImportVersioned(dlpack::ManagedTensorVersioned* managed) {
  if (managed->version.major != dlpack::kMajor) {
    PyErr_Format(PyExc_BufferError, "DLPack version %u is not known", managed->version.major);
    return Ref();
  }
  return Import(managed, (managed->flags & dlpack::kReadOnly) != 0);
}

// --- The C exchange API ----------------------------------------------------------------------

int AllocateTensor(dlpack::Tensor* prototype, dlpack::ManagedTensorVersioned** out,
                   void* error_context,
                   void (*set_error)(void* error_context, const char* kind, const char* message)) {
  const PyGILState_STATE state = PyGILState_Ensure();
  *out = nullptr;
  if (IsUsable(*prototype) && prototype->device.type == dlpack::kCpu) {
    Ref tensor = NewTensor(*DTypeFor(prototype->dtype),
                           {prototype->shape, static_cast<size_t>(prototype->ndim)});
    if (tensor) *out = NewVersioned(AsTensor(tensor), /*is_copy=*/false);
  }
  if (*out == nullptr) {
    PyErr_Clear();
    set_error(error_context, "BufferError", "dynacc has no such tensor, or no memory for it");
  }
  PyGILState_Release(state);
  return *out == nullptr ? -1 : 0;
}

bool RequireTensor(void* object) {
  if (IsAnyTensor(static_cast<PyObject*>(object))) return true;
  PyErr_SetString(PyExc_TypeError, "not a dynacc.Tensor");
  return false;
}

int TensorFromObject(void* object, dlpack::ManagedTensorVersioned** out) {
  *out = RequireTensor(object) ? NewVersioned(AsTensor(static_cast<PyObject*>(object)), false)
                               : nullptr;
  return *out == nullptr ? -1 : 0;
}

int ObjectFromTensor(dlpack::ManagedTensorVersioned* tensor, void** out) {
  Ref object = ImportVersioned(tensor);
  *out = object.Release();
  if (*out == nullptr && tensor->deleter != nullptr) tensor->deleter(tensor);
  return *out == nullptr ? -1 : 0;
}

// The strides that this gives out live until the thread's next call, as the contract has it. That a
// constant must not be written to has no place in what it gives.
int DescribeObject(void* object, dlpack::Tensor* out) {
  static thread_local int64_t strides[kMaxTensorRank];
  if (!RequireTensor(object)) return -1;
  if (IsConstant(AsTensor(static_cast<PyObject*>(object)))) {
    PyErr_SetString(PyExc_BufferError,
                    "a constant is exported with DLPack's flag that it is read-only, or as a copy");
    return -1;
  }
  return Describe(AsTensor(static_cast<PyObject*>(object)), strides, out) ? 0 : -1;
}

int CurrentStream(dlpack::DeviceType type, int32_t id, void** out_stream) {
  *out_stream = nullptr;
  if (type != dlpack::kCuda) return 0;
  *out_stream = reinterpret_cast<void*>(TensorStreamHandle(id + 1));
  return *out_stream == nullptr ? -1 : 0;
}

dlpack::ExchangeApi exchange_api = {{{dlpack::kMajor, dlpack::kMinor}, nullptr},
                                    AllocateTensor,
                                    TensorFromObject,
                                    ObjectFromTensor,
                                    DescribeObject,
                                    CurrentStream};

}  // namespace

Ref ExportDlpack(TensorObject* tensor, bool versioned, bool is_copy) {
  if (versioned) {
    return Capsule<dlpack::ManagedTensorVersioned, kVersioned>(NewVersioned(tensor, is_copy));
  }
  if (tensor->read_only) {
    PyErr_SetString(PyExc_BufferError, "DLPack before version 1 cannot export a read-only tensor");
    return Ref();
  }
  auto all = NewExport<dlpack::ManagedTensor>(tensor);
  return all == nullptr ? Ref() : Capsule<dlpack::ManagedTensor, kOld>(&all.release()->managed);
}

Ref ImportDlpack(BorrowedRef capsule) {
  Ref tensor;
  if (PyCapsule_IsValid(capsule, kVersioned)) {
    tensor = ImportVersioned(
        static_cast<dlpack::ManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kVersioned)));
    if (tensor) PyCapsule_SetName(capsule, kVersionedUsed);
  } else if (PyCapsule_IsValid(capsule, kOld)) {
    tensor = Import(static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule, kOld)),
                    /*read_only=*/false);
    if (tensor) PyCapsule_SetName(capsule, kOldUsed);
  } else {
    PyErr_SetString(PyExc_TypeError, "__dlpack__ gave no DLPack capsule that is still unused");
  }
  return tensor;
}

Ref DlpackExchangeApi() {
  return Ref::Steal(PyCapsule_New(&exchange_api, "dlpack_exchange_api", nullptr));
}

}  // namespace dynacc::tensor
