// The C struct behind `__array_struct__`, by which libraries hand arrays to each other without a
// copy. Layout and flags: "The array interface protocol" in NumPy's manual, version 2 of the
// struct.
#pragma once

#include <Python.h>

namespace dynacc {

struct ArrayStruct {
  int two;  // 2, a sanity check
  int rank;
  char kind;         // 'b' bool, 'i' signed, 'u' unsigned, 'f' float, 'c' complex, others
  int element_size;  // bytes
  int flags;
  Py_ssize_t* shape;
  Py_ssize_t* strides;  // bytes
  void* data;
  PyObject* description;
};

inline constexpr int kArrayAligned = 0x100;
inline constexpr int kArrayNativeOrder = 0x200;
inline constexpr int kArrayWritable = 0x400;

}  // namespace dynacc
