// Slices of sizes that are not constants: Python's slice.indices.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// The elements of an axis that a slice takes: start, start + step, ... `length` of them.
struct SliceBounds {
  Size start;
  Size length;
  int64_t step;
};

// Of `start:stop:step` on an axis of that size; each part may be null or None. Which way the bounds
// are clipped is decided as in this call, and required. The step must be known now.
absl::StatusOr<SliceBounds> BoundsOf(symbolic::TraceContext& trace, symbolic::Value* start,
                                     symbolic::Value* stop, symbolic::Value* step, Size size);

}  // namespace dynacc::numpy
