// Gradients of calls that NumPy itself makes, by rules that are Python functions.
//
// A trace for derivatives (TraceRoot::gradient_rules), or a part of one
// (TraceContext::BeginDerivatives), has a dict of rules: a function of NumPy or
// of the module `operator` is its key, and the value a Python function
//
//   rule(result, *args, **kwargs) -> result
//
// which is traced after the call. What it returns is taken for what the call gave: the result with
// a gradient (dynacc._arrays.custom_gradient), or the result as it is.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontend/cpython/ref.h"
#include "frontend/symbolic/value.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// `result` is what the call of `callable` gave. Where it is a node of op LibraryCall, or a tuple or
// list of such, and the trace has a rule for the callable, what the rule returns. A rule may call
// its own function, three calls deep.
absl::StatusOr<symbolic::Value*> WithGradient(Tracer& tracer, BorrowedRef callable,
                                              symbolic::Value* result,
                                              std::vector<symbolic::Value*> positional,
                                              symbolic::Keywords keywords = {});

// The same of a method of ndarray; the key of its rule is its name, a str. The array is the first
// argument. Of a method that changes the array and returns None, the array's content is the result.
absl::StatusOr<symbolic::Value*> WithMethodGradient(Tracer& tracer, absl::string_view name,
                                                    symbolic::Value* result,
                                                    std::vector<symbolic::Value*> positional,
                                                    symbolic::Keywords keywords);

// The same of an operator, by its function's name in the module `operator`.
absl::StatusOr<symbolic::Value*> WithOperatorGradient(Tracer& tracer, const char* name,
                                                      symbolic::Value* result,
                                                      std::vector<symbolic::Value*> operands);

}  // namespace dynacc::tracer
