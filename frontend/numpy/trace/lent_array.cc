#include "frontend/numpy/trace/lent_array.h"

#include <algorithm>
#include <new>

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"

namespace dynacc::numpy {

void LentArray::Set(const ArrayMemory& memory) {
  static_assert(sizeof(PyArrayObject_fields) <= kObjectBytes);
  if (memory.strides != nullptr) {
    std::copy_n(memory.strides, memory.rank, strides_);
  } else {
    StridedView view;
    view.dtype = memory.dtype;
    view.rank = memory.rank;
    std::copy_n(memory.shape, memory.rank, view.shape);
    SetContiguousStrides(view);
    std::copy_n(view.strides, memory.rank, strides_);
  }
  auto* fields = new (object_) PyArrayObject_fields();
  fields->ob_base.ob_refcnt = 1;  // ours: what takes one gives it back
  fields->ob_base.ob_type = &PyArray_Type;
  fields->data = memory.data;
  fields->nd = memory.rank;
  fields->dimensions = const_cast<npy_intp*>(reinterpret_cast<const npy_intp*>(memory.shape));
  fields->strides = reinterpret_cast<npy_intp*>(strides_);
  fields->descr = Descr(memory.dtype);
  fields->flags = memory.writable ? NPY_ARRAY_WRITEABLE : 0;
  PyArray_UpdateFlags(AsArray(object()), NPY_ARRAY_UPDATE_ALL);
}

}  // namespace dynacc::numpy
