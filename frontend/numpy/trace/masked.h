// Reading and writing through masks: `a[mask] += 1`, `a[mask, 0] = -b[mask]`.
//
// How many elements a mask selects is known at run time only, so `a[mask]` is no tensor but a
// SelectionValue: an array of the mask's extent of which some elements count. Arithmetic works on
// all of them, with ones for those that do not count, so that these raise no flag; a store through
// the same mask puts the others in their places.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// Whether `key` is a mask or a tuple with one.
bool HasMask(symbolic::TraceContext& trace, symbolic::Value* key);

// a[key], a SelectionValue. The key is a mask of the array's first axes, or a tuple of one mask,
// ints and slices; GraphBreak for others.
absl::StatusOr<symbolic::Value*> ReadMasked(symbolic::TraceContext& trace, NumpyTensor* a,
                                            symbolic::Value* key);

// `a[key] = value`, of a single number or what was read through an equal key; `a` may be written.
absl::Status StoreMasked(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* key,
                         symbolic::Value* value);

// Operators of which an operand is a selection; the other one is a single number, or a selection by
// the same mask.
absl::StatusOr<symbolic::Value*> SelectionBinary(symbolic::TraceContext& trace, int nb_op,
                                                 bool in_place, symbolic::Value* a,
                                                 symbolic::Value* b);
absl::StatusOr<symbolic::Value*> SelectionUnary(symbolic::TraceContext& trace, int opcode,
                                                symbolic::SelectionValue* a);

}  // namespace dynacc::numpy
