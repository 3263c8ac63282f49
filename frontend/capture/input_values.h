// What a trace's inputs are at a call: arrays and numbers, found by their sources.
#pragma once

#include <Python.h>

#include "frontend/arrays/array_namespace.h"
#include "frontend/sources/source.h"
#include "frontend/symbolic/trace_context.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc::capture {

// The shape and strides of an array, for which IsArray holds.
StridedView ReadView(const arrays::ArrayNamespace& arrays, BorrowedRef object);

// The number that a trace's input is; false if there is none of that kind.
bool ReadNumber(const symbolic::ScalarInput& input, const sources::SourceRoots& roots,
                const arrays::ArrayNamespace& arrays, ScalarValue& value);

}  // namespace dynacc::capture
