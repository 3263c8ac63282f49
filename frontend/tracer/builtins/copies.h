// copy.deepcopy of lists, tuples, dicts, numbers and arrays.
//
// The library's function is Python code, but it knows by id() what it has copied already, and ids
// are not followed. Its polyfill (functions.py) compares the objects themselves. It goes by the
// library's own table of copiers, so that a type which a program adds there is left to CPython.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Whether `function` is the standard library's copy.deepcopy.
bool IsDeepCopy(const symbolic::FunctionValue& function);

// Calls it by its polyfill; a GraphBreak for other arguments than the object alone.
absl::StatusOr<symbolic::Value*> CallDeepCopy(Tracer& tracer,
                                              const symbolic::FunctionValue& function,
                                              std::vector<symbolic::Value*> positional,
                                              const symbolic::Keywords& keywords);

}  // namespace dynacc::tracer
