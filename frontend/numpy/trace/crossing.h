// Copies from a part of an array to another part of it.
//
// NumPy makes a copy of what it is about to overwrite, so that the order in which elements are
// copied does not matter, in all cases but one: a target of one axis whose stride has the sign of
// the source's (PyArray_AssignArray and raw_array_assign_array in
// numpy/core/src/multiarray/array_assign_array.c). There it goes forwards or backwards, which is
// enough for parts of one row. Where a row and a column cross, elements that have been overwritten
// are read.
#pragma once

#include "absl/status/status.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc::numpy {

// GraphBreak if the order may matter in which `value` is copied to `target`, a view of the content
// of `array`'s memory.
absl::Status RequireAnyOrder(symbolic::TraceContext& trace, symbolic::TensorValue* array,
                             const ir::Node* target, symbolic::Value* value);

}  // namespace dynacc::numpy
