// Callables that dynacc.compile and dynacc.disable have made, as the tracer meets them in a program.
//
// What is called so runs by rules of its own, so no trace goes through it: the segment ends there.
#pragma once

#include "absl/strings/string_view.h"
#include "frontend/cpython/ref.h"

namespace dynacc::tracer {

// Says why a call of `object` breaks the graph; empty for an object that is no such callable.
using MarkedCallableReason = absl::string_view (*)(BorrowedRef object);

// Under the GIL. Who makes such callables says so before the first of them.
void SetMarkedCallables(MarkedCallableReason reason);
absl::string_view ReasonOfMarked(BorrowedRef object);

}  // namespace dynacc::tracer
