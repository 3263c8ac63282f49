// LentArray: an ndarray in memory of its owner's, for code that only reads an array's fields.
//
// A guard asks for type, dtype, sizes and place of an array. A host that calls a compiled function
// has these in structs of its own; to make an ndarray of each, and to drop it, takes longer than
// the guards, and the GIL. A LentArray has an ndarray's fields where NumPy's C API reads them, but
// NumPy never made it: nothing may keep a reference to it, ask for its attributes or hand it to
// Python code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontend/cpython/ref.h"
#include "frontend/numpy/trace/exchange.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::numpy {

class LentArray {
 public:
  LentArray() = default;
  LentArray(const LentArray&) = delete;
  LentArray& operator=(const LentArray&) = delete;

  // An array over `memory`, whose shape must stay where it is for as long as this is used; the
  // strides are copied (null: C order). At most kMaxRank axes. Needs no GIL, but NumPy's API.
  void Set(const ArrayMemory& memory);

  // Valid after Set, at a place of its own within this object.
  BorrowedRef object() { return reinterpret_cast<PyObject*>(object_); }

 private:
  static constexpr size_t kObjectBytes = 96;  // PyArrayObject_fields
  alignas(16) char object_[kObjectBytes];
  int64_t strides_[kMaxRank];
};

}  // namespace dynacc::numpy
