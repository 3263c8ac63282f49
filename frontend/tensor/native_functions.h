// Tracing the functions and primitives of the array namespace.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/symbolic/trace_context.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/promotion.h"

namespace dynacc::tensor {

// A traced dynacc.Tensor; null if the value is anything else.
numpy::NumpyTensor* AsNative(symbolic::Value* value);

// The kind of a NumPy scalar, or of a number that arrays compute, which is a Python number too:
// float64 and complex128. Nothing for any other value.
std::optional<NumberKind> KindOfScalar(symbolic::Value* value);

// Marks a tensor that was made in this trace, and that nothing else refers to, as a dynacc.Tensor.
numpy::NumpyTensor* MakeNative(numpy::NumpyTensor* fresh);

// Remembers the functions of the module of primitives, once it was made.
void LearnNativeFunctions(BorrowedRef module);
bool IsNativeFunction(BorrowedRef callable);

// What calling such a function gives. GraphBreak if it is not traced with these arguments.
absl::StatusOr<symbolic::Value*> CallNativeFunction(symbolic::TraceContext& trace,
                                                    BorrowedRef callable,
                                                    absl::Span<symbolic::Value* const> arguments);

// An elementwise function of tensors and Python numbers, as RunElementwise computes it.
absl::StatusOr<numpy::NumpyTensor*> TraceElementwise(symbolic::TraceContext& trace,
                                                     const ElementwiseRow& row,
                                                     absl::Span<symbolic::Value* const> arguments);

// The number of the device on which a tensor of the trace, or an array over its memory, will be.
int TracedDevice(symbolic::TraceContext& trace, const symbolic::TensorValue* tensor);

// A copy in another dtype, in C order.
numpy::NumpyTensor* CopyIn(symbolic::TraceContext& trace, numpy::NumpyTensor* tensor, DType dtype);

// a @ b of tensors: in float32 if one is bfloat16, or with all that the other is, and rounded if
// both are.
absl::StatusOr<numpy::NumpyTensor*> TraceNativeProduct(symbolic::TraceContext& trace,
                                                       numpy::NumpyTensor* a,
                                                       numpy::NumpyTensor* b);

// The handlers, named in the table.
using NativeHandler = absl::StatusOr<symbolic::Value*>(symbolic::TraceContext& trace,
                                                       absl::Span<symbolic::Value* const> args);
#define DYNACC_NATIVE_FUNCTION(name, handler, arguments) NativeHandler handler;
#include "frontend/tensor/native_functions.def"
#undef DYNACC_NATIVE_FUNCTION

}  // namespace dynacc::tensor
