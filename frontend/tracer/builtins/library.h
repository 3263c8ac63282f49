// Python functions of the standard library that are traced by another one in their place
// (library.def): where the library's own code asks what a trace cannot know, though not for the
// answer in the usual case.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Whether `object` is the function of that qualified name in that file of the standard library.
bool IsLibraryFunction(BorrowedRef object, const char* file, const char* name);

// The function's source; one that is known by identity only is pinned.
const sources::Source* SourceOfFunction(Tracer& tracer, const symbolic::FunctionValue& function);

// Requires at every call that the function has the code that it has now.
void GuardCodeOf(Tracer& tracer, const symbolic::FunctionValue& function);

// Calls the function's polyfill; null if it has none.
absl::StatusOr<symbolic::Value*> CallLibraryPolyfill(
    Tracer& tracer, const symbolic::FunctionValue& function,
    const std::vector<symbolic::Value*>& positional, const symbolic::Keywords& keywords);

}  // namespace dynacc::tracer
