// Ints that NumPy's functions are given, where Python's bools are none.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc::numpy {

// Ok unless the value is a bool: NumPy refuses it as a size, an axis or a width.
absl::Status RefuseBool(symbolic::Value* value);

// An int that must be known now, and no bool.
absl::StatusOr<int64_t> KnownInt(symbolic::TraceContext& trace, symbolic::Value* value);

// Whether it is a Python int, known to the trace or only to a run, and no bool.
bool IsPlainInt(symbolic::Value* value);

// Whether it is a list of ints that the trace knows, without bools.
bool IsListOfInts(symbolic::Value* value);

}  // namespace dynacc::numpy
