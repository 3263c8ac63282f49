#include "frontend/tensor/tensor_object.h"

#include <algorithm>

#include "frontend/tensor/device_tensor.h"
#include "runtime/platform/buffer_cache.h"

namespace dynacc::tensor {
namespace {

PyTypeObject* tensor_type = nullptr;

bool IsCOrder(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides, int64_t item) {
  int64_t expected = item;
  for (int i = static_cast<int>(shape.size()) - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

// The struct with everything but its memory.
TensorObject* NewStruct(DType dtype, absl::Span<const int64_t> shape,
                        absl::Span<const int64_t> strides, int device = 0) {
  if (shape.size() > kMaxTensorRank) {
    PyErr_Format(PyExc_ValueError, "a tensor has at most %d dimensions, not %zu", kMaxTensorRank,
                 shape.size());
    return nullptr;
  }
  PyTypeObject* const type = device == 0 ? tensor_type : DeviceTensorType();
  auto* tensor = PyObject_NewVar(TensorObject, type, static_cast<Py_ssize_t>(shape.size()));
  if (tensor == nullptr) return nullptr;
  tensor->data = nullptr;
  tensor->owner = nullptr;
  tensor->block = nullptr;
  tensor->block_bytes = 0;
  tensor->weak_references = nullptr;
  tensor->dtype = dtype;
  tensor->read_only = false;
  tensor->device = device;
  tensor->contiguous = IsCOrder(shape, strides, ItemSize(dtype));
  std::copy(shape.begin(), shape.end(), tensor->shape());
  std::copy(strides.begin(), strides.end(), tensor->strides());
  return tensor;
}

// Bytes of so many elements; -1 with an exception set.
int64_t BytesOf(DType dtype, absl::Span<const int64_t> shape) {
  int64_t bytes = ItemSize(dtype);
  bool empty = false;
  bool overflow = false;
  for (const int64_t n : shape) {
    if (n < 0) {
      PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
      return -1;
    }
    empty |= n == 0;
    overflow |= n != 0 && __builtin_mul_overflow(bytes, n, &bytes);
  }
  if (!overflow) return empty ? 0 : bytes;
  PyErr_SetString(PyExc_ValueError, "a tensor of this shape has more bytes than can be addressed");
  return -1;
}

}  // namespace

PyTypeObject* TensorType() { return tensor_type; }

void SetTensorType(PyTypeObject* type) { tensor_type = type; }

void FillCOrder(absl::Span<const int64_t> shape, int64_t item_size, int64_t* strides) {
  int64_t stride = item_size;
  for (int i = static_cast<int>(shape.size()) - 1; i >= 0; --i) {
    strides[i] = stride;
    if (shape[i] > 0) stride *= shape[i];
  }
}

Ref NewTensor(DType dtype, absl::Span<const int64_t> shape) {
  int64_t strides[kMaxTensorRank] = {};
  if (shape.size() <= kMaxTensorRank) {
    if (BytesOf(dtype, shape) < 0) return Ref();
    FillCOrder(shape, ItemSize(dtype), strides);
  }
  return NewTensor(dtype, shape, {strides, shape.size()});
}

Ref NewTensor(DType dtype, absl::Span<const int64_t> shape, absl::Span<const int64_t> strides) {
  const int64_t bytes = BytesOf(dtype, shape);
  if (bytes < 0) return Ref();
  TensorObject* tensor = NewStruct(dtype, shape, strides);
  Ref owned = Ref::Steal(reinterpret_cast<PyObject*>(tensor));
  if (!owned) return Ref();
  // An empty tensor, too, has an address of its own to give.
  tensor->block_bytes = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  tensor->block = platform::BufferCache::Process().Allocate(tensor->block_bytes);
  tensor->data = static_cast<char*>(tensor->block);
  if (tensor->block == nullptr) {
    PyErr_NoMemory();
    return Ref();
  }
  return owned;
}

Ref NewTensorView(TensorObject* base, char* data, DType dtype, absl::Span<const int64_t> shape,
                  absl::Span<const int64_t> strides) {
  // A view of a view keeps what owns the memory, no more.
  PyObject* owner = base->owner != nullptr ? base->owner : reinterpret_cast<PyObject*>(base);
  return NewTensorOver(Ref::New(owner), data, dtype, shape, strides, base->read_only, base->device);
}

Ref NewTensorOver(Ref owner, char* data, DType dtype, absl::Span<const int64_t> shape,
                  absl::Span<const int64_t> strides, bool read_only, int device) {
  TensorObject* tensor = NewStruct(dtype, shape, strides, device);
  if (tensor == nullptr) return Ref();
  tensor->data = data;
  tensor->owner = owner.Release();
  tensor->read_only = read_only;
  return Ref::Steal(reinterpret_cast<PyObject*>(tensor));
}

void ReleaseMemory(TensorObject* tensor) {
  if (tensor->block != nullptr)
    platform::BufferCache::Process().Free(tensor->block, tensor->block_bytes);
  tensor->block = nullptr;
  Py_CLEAR(tensor->owner);
}

bool ReadTensor(TensorObject* tensor, StridedView* view) {
  if (tensor->rank() > kMaxRank) return false;
  view->data = tensor->data;
  view->dtype = tensor->dtype;
  view->rank = tensor->rank();
  std::copy_n(tensor->shape(), view->rank, view->shape);
  std::copy_n(tensor->strides(), view->rank, view->strides);
  return true;
}

Ref ShapeTuple(absl::Span<const int64_t> shape) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; tuple && i < shape.size(); ++i) {
    PyObject* size = PyLong_FromLongLong(shape[i]);
    if (size == nullptr) return Ref();
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), size);
  }
  return tuple;
}

}  // namespace dynacc::tensor
