// NumPy's functions and operators on tensors in captured code.
//
// NumPy hands a call with a tensor among certain arguments to Tensor.__array_ufunc__ or
// __array_function__, which call its function on arrays over the tensors' memory and make tensors
// of the arrays that it gives (embed/python/dynacc/_tensor_methods.py). Traced, that is NumPy's
// function of views of the tensors. It promotes, and reports floating-point errors, as NumPy does.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc {

// Whether NumPy surely hands over such a call: a tensor is an operand of a ufunc, or (in) the first
// argument of a function that asks for __array_function__, which all of them look at.
bool IsHandedOver(BorrowedRef callable, const CallArgs& args);

// The value with arrays over the tensors' memory for the tensors in it; GraphBreak for narrow
// floats, and for tensors on a device.
absl::StatusOr<Value*> WithArrays(TraceContext& trace, Value* value);
// The value with tensors over the arrays' memory for the arrays and NumPy scalars in it.
absl::StatusOr<Value*> WithTensors(TraceContext& trace, Value* value);

// numpy.Call of such a call.
absl::StatusOr<Value*> CallWithArrays(TraceContext& trace, ArrayNamespace& numpy,
                                      BorrowedRef callable, const CallArgs& args);

// An operator on a tensor and an array that is no NumPy scalar, in one order or the other.
absl::StatusOr<Value*> BinaryWithArray(TraceContext& trace, ArrayNamespace& numpy, int nb_op,
                                       bool in_place, Value* a, Value* b);
absl::StatusOr<Value*> CompareWithArray(TraceContext& trace, ArrayNamespace& numpy, int compare_op,
                                        Value* a, Value* b);

}  // namespace dynacc
