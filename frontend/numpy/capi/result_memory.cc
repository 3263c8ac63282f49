// Arrays have had memory handlers since NumPy 1.22, and NumPy 2's headers show them to who says so.
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include "frontend/numpy/capi/result_memory.h"

#include <algorithm>
#include <cstring>

#include "frontend/cpython/trace_malloc.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "runtime/platform/buffer_cache.h"

namespace dynacc::numpy {
namespace {

// np.lib.tracemalloc_domain.
constexpr unsigned kTraceDomain = 389047;

// What lies before the data: NumPy does not say how large a block was that it wants resized.
constexpr size_t kHeaderBytes = platform::BufferCache::kHeadBytes;

size_t& SizeOf(void* data) {
  return *reinterpret_cast<size_t*>(static_cast<char*>(data) - kHeaderBytes);
}

void* Allocate(void*, size_t bytes) {
  char* block = static_cast<char*>(platform::BufferCache::Process().Allocate(bytes + kHeaderBytes));
  if (block == nullptr) return nullptr;
  void* data = block + kHeaderBytes;
  SizeOf(data) = bytes;
  return data;
}

void* AllocateZeros(void* context, size_t count, size_t item_bytes) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, item_bytes, &bytes)) return nullptr;
  void* data = Allocate(context, bytes);
  return data == nullptr ? nullptr : std::memset(data, 0, bytes);
}

void Free(void*, void* data, size_t) {
  if (data == nullptr) return;
  platform::BufferCache::Process().Free(static_cast<char*>(data) - kHeaderBytes,
                                        SizeOf(data) + kHeaderBytes);
}

void* Reallocate(void* context, void* data, size_t bytes) {
  void* moved = Allocate(context, bytes);
  if (moved == nullptr || data == nullptr) return moved;
  std::memcpy(moved, data, std::min(bytes, SizeOf(data)));
  Free(context, data, 0);
  return moved;
}

// A capsule as NumPy wants it, named as it asks; null with an exception set.
PyObject* Handler() {
  static PyDataMem_Handler handler = {
      "dynacc", 1, {nullptr, Allocate, AllocateZeros, Reallocate, Free}};
  static PyObject* capsule = nullptr;  // kept for ever: arrays outlive everything
  if (capsule == nullptr) capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
  return capsule;
}

// Hands `data`, from Allocate, over to the array: freed by our handler.
void Own(PyArrayObject* array, PyObject* handler) {
  PyArray_ENABLEFLAGS(array, NPY_ARRAY_OWNDATA);
  Py_INCREF(handler);
  reinterpret_cast<PyArrayObject_fields*>(array)->mem_handler = handler;
}

}  // namespace

PyObject* NewKeptArray(StridedView& view) {
  PyObject* handler = Handler();
  if (handler == nullptr) return nullptr;
  const size_t bytes = static_cast<size_t>(view.size()) * ItemSize(view.dtype);
  void* data = Allocate(nullptr, bytes);
  if (data == nullptr) return PyErr_NoMemory();
  PyArray_Descr* descr = Descr(view.dtype);
  Py_INCREF(descr);  // PyArray_NewFromDescr takes it
  PyObject* array = PyArray_NewFromDescr(
      &PyArray_Type, descr, view.rank, reinterpret_cast<const npy_intp*>(view.shape),
      reinterpret_cast<const npy_intp*>(view.strides), data, NPY_ARRAY_WRITEABLE, nullptr);
  if (array == nullptr) {
    Free(nullptr, data, bytes);
    return nullptr;
  }
  TrackMemory(kTraceDomain, reinterpret_cast<uintptr_t>(data), bytes);
  Own(AsArray(array), handler);
  view.data = static_cast<char*>(data);
  return array;
}

}  // namespace dynacc::numpy
