// ArrayChecks: what guards ask of arrays. The array library's folder (frontend/numpy/capi)
// answers, because only it may look into arrays; it registers its answers when the library is found
// loaded.
//
// All functions take any object, run no Python code and set no exception. They are on the path of
// every call: a few loads and compares each.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/cpython/read_set.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::guards {

struct ArrayChecks {
  // Whether `value` is an exact array of `dtype` and `rank`, in native byte order and aligned: an
  // array that kernels can read as it is.
  bool (*check_array)(BorrowedRef value, DType dtype, int rank);
  // Whether `value` is a dynacc.Tensor of `dtype` and of that place: its rank, and the device where
  // it is, as the folder of tensors puts them in one number.
  bool (*check_tensor)(BorrowedRef value, DType dtype, int place);
  // Whether `value` is an exact array scalar (numpy.float64 and the like) of `dtype`.
  bool (*check_scalar)(BorrowedRef value, DType dtype);
  // Adds what the answers about arrays (not tensors, not scalars) depend on for `value`. False if
  // that cannot be said.
  bool (*read_array)(BorrowedRef value, ReadSet& reads);
  // Size of one axis; -1 if `value` is no array or has no such axis.
  int64_t (*dim)(BorrowedRef value, int axis);
  // Whether `value` is an array whose C_CONTIGUOUS flag is set.
  bool (*is_contiguous)(BorrowedRef value);
  // Whether `value` is an array whose elements may be assigned.
  bool (*is_writable)(BorrowedRef value);
  // The class of a number (Python's, an array scalar or a rank-0 array) in the library's
  // value-based promotion, as the namespace numbers them from 0; -1 if `value` is not such a
  // number.
  int (*scalar_class)(BorrowedRef value);
  // What the library has been told to do about floating-point errors in this thread, as a number.
  int (*error_state)();
  // 0 for what is in host memory, and for what is no array; n: on device n - 1.
  int (*device_of)(BorrowedRef value);
  // "f64 array of rank 2, shape (3, 4)", "numpy scalar f32"; for explanations only. Empty if
  // `value` is neither an array nor an array scalar.
  std::string (*describe)(BorrowedRef value);
};

// Makes `checks` the answers from now on. It must live for the rest of the process. Needs the GIL.
void RegisterArrayChecks(const ArrayChecks* checks);

// The registered answers; before any registration, answers that hold for no object.
const ArrayChecks& RegisteredArrayChecks();

}  // namespace dynacc::guards
