// TensorObject: the memory and shape of a dynacc.Tensor.
//
// A tensor owns a block of the buffer cache (64-byte aligned; large ones on huge pages), or it is a
// view: of another tensor, or of memory that some other object keeps alive. Shape and dtype never
// change. Rank is bounded by kMaxTensorRank; kernels take ranks up to kMaxRank.
#pragma once

#include "absl/types/span.h"
#include "frontend/cpython/ref.h"
#include "runtime/tensor/dtype.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::tensor {

// That of NumPy 1.24's arrays, so that every tensor has a view as one.
inline constexpr int kMaxTensorRank = 32;

struct TensorObject {
  PyVarObject ob_base;  // ob_size: the rank; the sizes follow the struct
  char* data;
  PyObject* owner;     // keeps the memory alive; null: `block` is this tensor's own
  void* block;         // may be null with no owner: no elements
  size_t block_bytes;  // as asked of the buffer cache
  PyObject* weak_references;
  DType dtype;
  bool read_only;
  bool contiguous;  // C order, without gaps
  int device;       // 0: host memory; n: `data` is an address of CUDA device n - 1

  int rank() const { return static_cast<int>(ob_base.ob_size); }
  int64_t* shape() { return reinterpret_cast<int64_t*>(this + 1); }
  int64_t* strides() { return shape() + rank(); }  // bytes
  absl::Span<const int64_t> sizes() { return {shape(), static_cast<size_t>(rank())}; }
  int64_t size() {
    int64_t count = 1;
    for (const int64_t n : sizes()) count *= n;
    return count;
  }
};

// Null until the module of arrays was made (arrays_module.h).
PyTypeObject* TensorType();
void SetTensorType(PyTypeObject* type);

inline bool IsTensor(BorrowedRef object) { return Py_TYPE(object) == TensorType(); }
inline TensorObject* AsTensor(BorrowedRef object) {
  return reinterpret_cast<TensorObject*>(object);
}
inline TensorObject* AsTensor(const Ref& object) { return AsTensor(object.get()); }

// All of these give null with an exception set: MemoryError, or ValueError for sizes that no memory
// holds or too many axes.

// A tensor with memory of its own, contents unspecified, in C order.
Ref NewTensor(DType dtype, absl::Span<const int64_t> shape);
// The same with these (dense) strides.
Ref NewTensor(DType dtype, absl::Span<const int64_t> shape, absl::Span<const int64_t> strides);

// A tensor over the memory of `base`; as writable as that.
Ref NewTensorView(TensorObject* base, char* data, DType dtype, absl::Span<const int64_t> shape,
                  absl::Span<const int64_t> strides);

// A tensor over memory that `owner` keeps alive; on a device (device_tensor.h) if that is not 0.
Ref NewTensorOver(Ref owner, char* data, DType dtype, absl::Span<const int64_t> shape,
                  absl::Span<const int64_t> strides, bool read_only, int device = 0);

// Gives back the memory; for the type's dealloc.
void ReleaseMemory(TensorObject* tensor);

// Where the elements lie; false, with nothing set, if the rank is beyond kMaxRank.
bool ReadTensor(TensorObject* tensor, StridedView* view);

// Strides of C order for elements of `item_size` bytes.
void FillCOrder(absl::Span<const int64_t> shape, int64_t item_size, int64_t* strides);

// "(2, 3)", for messages.
Ref ShapeTuple(absl::Span<const int64_t> shape);

}  // namespace dynacc::tensor
