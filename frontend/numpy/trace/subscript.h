// `a[key]` with ints, slices, None and Ellipsis: views and items.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// What a key chooses: a View node of a's, its shape, and whether all axes were given by ints (then
// `a[key]` is an item, not a view).
struct SubscriptedPart {
  const ir::Node* node;
  Shape shape;
  COrder c_order;
  bool is_item;
};

// GraphBreak for keys that are arrays, lists, bools or anything else.
absl::StatusOr<SubscriptedPart> PartAt(symbolic::TraceContext& trace, NumpyTensor* a,
                                       symbolic::Value* key);

// The same of a key with ints that arrays compute. GraphBreak where there are none.
absl::StatusOr<SubscriptedPart> PartAtPlaces(symbolic::TraceContext& trace, NumpyTensor* a,
                                             symbolic::Value* key);
// The view that it chooses, for a key that does not name an element.
absl::StatusOr<symbolic::Value*> ViewAtPlaces(symbolic::TraceContext& trace, NumpyTensor* a,
                                              symbolic::Value* key);

// As ArrayNamespace::Subscript. GraphBreak for keys that are arrays, lists, bools or anything else.
absl::StatusOr<symbolic::Value*> NumpySubscript(symbolic::TraceContext& trace, NumpyTensor* a,
                                                symbolic::Value* key);

}  // namespace dynacc::numpy
