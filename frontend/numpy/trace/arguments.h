// Arguments of NumPy functions: axes, shapes, dtypes, sequences of ints.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/sizes.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

// The items of a tuple or list, symbolic or constant; nothing if `value` is neither.
std::optional<std::vector<symbolic::Value*>> ItemsOf(symbolic::TraceContext& trace,
                                                     symbolic::Value* value);

// An axis that must be known now, from 0 to rank - 1. GraphBreak if out of range.
absl::StatusOr<int64_t> AxisFrom(symbolic::TraceContext& trace, symbolic::Value* value, int rank);
// One axis, or a tuple of different axes, in the order given.
absl::StatusOr<std::vector<int64_t>> AxesFrom(symbolic::TraceContext& trace, symbolic::Value* value,
                                              int rank);

// A shape argument: one int, a tuple or a list of ints; dynamic sizes too. Any sign.
absl::StatusOr<Shape> ShapeFrom(symbolic::TraceContext& trace, symbolic::Value* value);
absl::StatusOr<Shape> ShapeFrom(symbolic::TraceContext& trace,
                                absl::Span<symbolic::Value* const> sizes);

// A dtype argument: a dtype object, NumPy scalar type, Python's float, int, bool, or a str.
// GraphBreak if it is not one of dtype.def.
absl::StatusOr<DType> DTypeFrom(symbolic::TraceContext& trace, symbolic::Value* value);

}  // namespace dynacc::numpy
