// DType and NumPy's descriptors and scalar types: which is which.
#pragma once

#include <optional>

#include "frontend/numpy/capi/numpy_api.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

// Fills the tables from dtype.def; once, after ImportNumpyApi.
void LoadDTypeTables();

// NumPy's type number of `dtype`, its descriptor (native byte order, the shared instance) and its
// scalar type. Borrowed. Of low-precision floats, which NumPy lacks, those of their bits, uint8 or
// uint16: what only moves elements is called with these, and nothing else may be (the native
// tensors see to it).
int TypeNum(DType dtype);
PyArray_Descr* Descr(DType dtype);
PyTypeObject* ScalarTypeObject(DType dtype);

// The dtype of a NumPy type number or descriptor; nothing if kernels do not handle it (another
// type, another byte order, or a descriptor with metadata).
std::optional<DType> FromTypeNum(int type_num);
std::optional<DType> FromDescr(const PyArray_Descr* descr);

// Whether arrays of `seen` are what NumPy sees of the low-precision float.
inline bool IsBitsOf(DType narrow, DType seen) {
  return IsLowPrecision(narrow) && Descr(narrow) == Descr(seen);
}

// The dtype of an exact NumPy scalar; nothing for any other object.
std::optional<DType> FromScalar(BorrowedRef object);

}  // namespace dynacc
