// Computing with the floats that NumPy lacks: bfloat16 and float8 (runtime/tensor/float8.h).
//
// THE RULE. An operation on tensors of such a dtype is computed in float32, exactly as it would be
// on tensors of float32 with the same values, and its result is rounded to the dtype: once for each
// elementwise operation and once for each other function of the namespace, whose sums and products
// of many elements are so made in float32 throughout. Python numbers beside a tensor are rounded
// first. Rounding is to nearest, ties to even; of a NaN the sign stays, and of bfloat16's the top
// bits, and it is quiet; float8 does not saturate. Conversions from float64 and from integers of 32
// and 64 bits (by way of float64) round once, too.
//
// So the graph of captured code needs no arithmetic on them: it has conversions to float32 and
// back, and fuses them with what is between them. Eager functions do the same chunk by chunk, with
// the same loops, so that both give the same bits. nextafter alone knows of their own numbers.
//
// NumPy has none of them. Functions of the namespace that are NumPy's are given float32
// (embed/python/dynacc/_devices.py); what only moves elements sees them as unsigned integers.
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/cpython/ref.h"
#include "frontend/tensor/tensor_object.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::tensor {

// The unsigned integers of the same size.
inline DType BitsDType(DType narrow) {
  return ItemSize(narrow) == 1 ? DType::kUInt8 : DType::kUInt16;
}

// The loop that computes `op` on them, around the one of float32; empty if there is none. Needs the
// GIL; the loop does not.
kernel::LibraryLoop LowPrecisionLoop(Op op, DType narrow);

// What a call's arguments say of low-precision floats.
struct LowPrecisionAmong {
  bool found = false;             // of a tensor, or given as a dtype
  std::optional<DType> rounds{};  // results of float32 are to be rounded to this: a dtype that is
                                  // given, or else the promoted one. None: they are meant as such
};

// The dtypes that a call is given.
class NarrowSearch {
 public:
  void AddTensor(DType dtype);
  void AddDType(DType dtype);
  LowPrecisionAmong result() const;

 private:
  bool found_ = false;
  std::optional<DType> promoted_;  // of the tensors
  std::optional<DType> given_;
};

// For the functions of the namespace, on tuples, lists and dicts of whatever a call is given.
LowPrecisionAmong FindLowPrecision(BorrowedRef args, BorrowedRef kwargs);
// As Python has it: None, True if nothing is rounded, or the dtype.
Ref ObjectOf(const LowPrecisionAmong& among);
// Tensors of low-precision floats in float32, and float32 for such a dtype. Null with an exception
// set.
Ref InFloat32(BorrowedRef value);
// Tensors of float32 in the dtype. Null with an exception set.
Ref Rounded(BorrowedRef value, DType narrow);

// A view of a tensor of low-precision floats as integers (BitsDType), or the other way round. Null
// with an exception set.
Ref BitsOfLowPrecision(TensorObject* tensor);
Ref LowPrecisionOfBits(TensorObject* tensor, DType narrow);

}  // namespace dynacc::tensor
