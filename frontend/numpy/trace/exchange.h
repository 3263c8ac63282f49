// NumPy's arrays for the native tensors: one over the other's memory, without copies.
//
// All of it needs the GIL and a loaded NumPy namespace. Errors are Python exceptions.
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/cpython/ref.h"
#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

// Where some array's elements lie; the sizes are borrowed from it. Strides are bytes.
struct ArrayMemory {
  char* data = nullptr;
  DType dtype = DType::kFloat64;
  int rank = 0;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;
  bool writable = true;
};

// Whether `object` is an ndarray (or of a subclass), or a NumPy scalar.
bool IsNumpyObject(BorrowedRef object);

// An ndarray with the elements of such an object whose memory a tensor can use: of a dtype of
// dtype.def in native byte order, aligned. It is `object` itself where that is one; a copy if not.
// Null with TypeError for a dtype that no tensor has.
Ref UsableArray(BorrowedRef object);

// The memory of what UsableArray gave.
ArrayMemory MemoryOf(BorrowedRef array);

// The memory of an ndarray (of no subclass) whose elements are of a dtype of dtype.def in native
// byte order, aligned or not; nothing for any other object. Raises nothing.
std::optional<ArrayMemory> PlainMemory(BorrowedRef object);

// An ndarray over memory that `owner` keeps alive; null: that outlives the array by agreement.
Ref NumpyOver(BorrowedRef owner, const ArrayMemory& memory);

// The numpy.dtype of these elements. Borrowed.
BorrowedRef NumpyDType(DType dtype);

// Makes NumPy's functions report no floating-point errors in this thread; gives the setting before.
Ref SwitchErrorsOff();
// Sets what SwitchErrorsOff gave. False with an exception set.
bool SwitchErrorsBack(BorrowedRef before);

// np.<op>(*operands): the ufunc itself. The operands are ndarrays of one dtype. `out` may be null.
Ref CallUfuncOf(Op op, BorrowedRef a, BorrowedRef b, BorrowedRef out);

}  // namespace dynacc::numpy
