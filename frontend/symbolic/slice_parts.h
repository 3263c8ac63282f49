// Slices in a trace.
#pragma once

#include "frontend/symbolic/trace_context.h"

namespace dynacc::symbolic {

// The parts of a slice, also of one that is a constant, as CPython 3.14 makes them of known bounds;
// null if `value` is no slice.
SliceValue* SliceFrom(TraceContext& trace, Value* value);

}  // namespace dynacc::symbolic
