// Calls on single numbers that only the run tells: math.sqrt(float(x.sum())), loss / n, a random
// number minus 0.5. Python's own function runs as a LibraryCall node, on Python's objects, so that
// types, rounding and exceptions are Python's; a run in which it raises, or gives another type than
// when it was traced, is given up.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/trace/library_call.h"

namespace dynacc::numpy {

// As ArrayNamespace::CallOnNumbers.
absl::StatusOr<symbolic::Value*> CallFunctionOnNumbers(symbolic::TraceContext& trace,
                                                       BorrowedRef function,
                                                       absl::Span<symbolic::Value* const> args);

// What a call gives that was tried out with the result `example`: a Python float or int, which is a
// LazyValue of the array scalar that the graph computes, or a NumPy scalar. GraphBreak for
// anything else.
absl::StatusOr<symbolic::Value*> EmitNumber(symbolic::TraceContext& trace, TracedCall traced,
                                            BorrowedRef example);

// The array scalar with the value of a Python float or int that was made of it (float64 and int64);
// null if `value` is no such number.
symbolic::TensorValue* ScalarOfNumber(symbolic::Value* value);

}  // namespace dynacc::numpy
