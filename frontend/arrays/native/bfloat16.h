// Computing with bfloat16.
//
// THE RULE. An operation on tensors of bfloat16 is computed in float32, exactly as it would be on
// tensors of float32 with the same values, and its result is rounded to bfloat16: once for each
// elementwise operation and once for each other function of the namespace, whose sums and products
// of many elements are so made in float32 throughout. Python numbers beside a tensor become
// bfloat16 first. Rounding is to nearest, ties to even; of a NaN the sign and the top bits stay,
// and it is quiet. Conversions from float64 and from integers of 32 and 64 bits (by way of float64)
// round once, too.
//
// So the graph of captured code needs no arithmetic on bfloat16: it has conversions to float32 and
// back, and fuses them with what is between them. Eager functions do the same chunk by chunk, with
// the same loops, so that both give the same bits. nextafter alone knows of bfloat16's own numbers.
//
// NumPy has no bfloat16. Functions of the namespace that are NumPy's are given float32
// (embed/python/dynacc/_devices.py); what only moves elements sees them as uint16.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/ops/op.h"
#include "frontend/arrays/native/tensor_object.h"
#include "frontend/cpython/ref.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

// The loop that computes `op` on bfloat16, around the one of float32; empty if there is none. Needs
// the GIL; the loop does not.
LibraryLoop BFloat16Loop(Op op);

// What a call's arguments say of bfloat16.
enum class BFloat16Among : uint8_t {
  kNone,     // there is none, neither of a tensor nor given as a dtype
  kWidened,  // results of float32 are meant to be that
  kRounded,  // results of float32 are to be rounded: a dtype that is given, or else the promoted
             // one, is bfloat16
};

// The dtypes that a call is given.
class BFloat16Search {
 public:
  void AddTensor(DType dtype);
  void AddDType(DType dtype);
  BFloat16Among result() const;

 private:
  bool found_ = false;
  std::optional<DType> promoted_;  // of the tensors
  std::optional<DType> given_;
};

// For the functions of the namespace, on tuples, lists and dicts of whatever a call is given.
BFloat16Among FindBFloat16(BorrowedRef args, BorrowedRef kwargs);
// Tensors of bfloat16 in float32, and float32 for the dtype. Null with an exception set.
Ref InFloat32(BorrowedRef value);
// Tensors of float32 in bfloat16. Null with an exception set.
Ref Rounded(BorrowedRef value);

// A view of a tensor of bfloat16 as uint16, or the other way round. Null with an exception set.
Ref BitsOfBFloat16(TensorObject* tensor);
Ref BFloat16OfBits(TensorObject* tensor);

}  // namespace dynacc
