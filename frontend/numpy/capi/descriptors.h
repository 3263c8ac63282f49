// NumPy's descriptors: where their fields lie, and which is which DType's.
#pragma once

#include <cstring>
#include <optional>

#include "frontend/numpy/capi/numpy_api.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

// --- Where the fields of a NumPy descriptor lie that moved in NumPy 2.0.
//
// One binary serves NumPy 1.x and 2.x, but the headers it was built with know one of them.
// `typeobj`, `kind`, `type`, `byteorder` and `type_num` are where they always were; the others are
// read by this table only, never by the headers' struct or by macros that do (PyArray_ITEMSIZE,
// PyArray_NBYTES). Source: struct _PyArray_Descr in numpy/ndarraytypes.h of 1.24 and of 2.0 (the
// same in 2.5).

struct DescrLayout {
  int major;  // of NumPy's version
  size_t item_size;
  size_t item_size_bytes;  // of that field itself: an int, or npy_intp
  size_t metadata;
};

inline constexpr DescrLayout kDescrLayouts[] = {
    {1, 32, 4, 72},
    {2, 40, 8, 56},
};

inline const DescrLayout& LayoutOfDescr() { return kDescrLayouts[NumpyMajor() == 1 ? 0 : 1]; }

// The object that a user has attached to a dtype, or null.
inline BorrowedRef MetadataOf(const PyArray_Descr* descr) {
  PyObject* metadata = nullptr;
  const char* fields = reinterpret_cast<const char*>(descr);
  std::memcpy(&metadata, fields + LayoutOfDescr().metadata, sizeof(metadata));
  return metadata;
}

// Bytes of one element.
inline npy_intp ItemSizeOf(const PyArray_Descr* descr) {
  npy_intp size = 0;  // little-endian: the low bytes of the field are those of the number
  const char* fields = reinterpret_cast<const char*>(descr);
  std::memcpy(&size, fields + LayoutOfDescr().item_size, LayoutOfDescr().item_size_bytes);
  return size;
}

// Bytes of all elements.
inline npy_intp BytesOf(PyArrayObject* array) {
  return PyArray_SIZE(array) * ItemSizeOf(PyArray_DESCR(array));
}

// --- DType and NumPy's descriptors and scalar types: which is which.

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

}  // namespace dynacc::numpy
