// NumPy's functions and operators on tensors in captured code.
//
// NumPy hands a call with a tensor among certain arguments to Tensor.__array_ufunc__ or
// __array_function__, which call its function on arrays over the tensors' memory and make tensors
// of the arrays that it gives (embed/python/dynacc/_tensor_methods.py). Traced, that is NumPy's
// function of views of the tensors. It promotes, and reports floating-point errors, as NumPy does.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::tensor {

// Whether NumPy surely hands over such a call: a tensor is an operand of a ufunc, or (in) the first
// argument of a function that asks for __array_function__, which all of them look at.
bool IsHandedOver(BorrowedRef callable, const arrays::CallArgs& args);

// The value with arrays over the tensors' memory for the tensors in it; GraphBreak for narrow
// floats, and for tensors on a device.
absl::StatusOr<symbolic::Value*> WithArrays(symbolic::TraceContext& trace, symbolic::Value* value);
// The value with tensors over the arrays' memory for the arrays and NumPy scalars in it.
absl::StatusOr<symbolic::Value*> WithTensors(symbolic::TraceContext& trace, symbolic::Value* value);

// numpy.Call of such a call.
absl::StatusOr<symbolic::Value*> CallWithArrays(symbolic::TraceContext& trace,
                                                arrays::ArrayNamespace& numpy, BorrowedRef callable,
                                                const arrays::CallArgs& args);

// An operator on a tensor and an array that is no NumPy scalar, in one order or the other.
absl::StatusOr<symbolic::Value*> BinaryWithArray(symbolic::TraceContext& trace,
                                                 arrays::ArrayNamespace& numpy, int nb_op,
                                                 bool in_place, symbolic::Value* a,
                                                 symbolic::Value* b);
absl::StatusOr<symbolic::Value*> CompareWithArray(symbolic::TraceContext& trace,
                                                  arrays::ArrayNamespace& numpy, int compare_op,
                                                  symbolic::Value* a, symbolic::Value* b);

}  // namespace dynacc::tensor
