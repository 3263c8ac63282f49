// NumpyTensor: a TensorValue with what NumPy's semantics need besides: a known value, and what is
// known of the memory order.
#pragma once

#include <optional>
#include <vector>

#include "frontend/symbolic/trace_context.h"
#include "frontend/symbolic/value.h"

namespace dynacc::numpy {

// Arrays whose C contiguity (guarded when it is first relied upon) makes a result C-contiguous, or
// nothing if the result may be in another order whatever the inputs are. An empty list: always.
using COrder = std::optional<std::vector<const sources::Source*>>;

struct NumpyTensor : symbolic::TensorValue {
  NumpyTensor(const ir::Node* node, bool is_scalar, std::vector<int64_t> hints,
              const sources::Source* source = nullptr)
      : symbolic::TensorValue(node, is_scalar, source) {
    hint_shape = std::move(hints);
  }
  // Rank 0: an object of this value. If the tensor has a source: its value in this call only.
  Ref object;
  Ref memory;      // an existing array: the object
  int device = 0;  // of an existing tensor on a device: n for device n - 1
  COrder c_order;
  bool is_seen = false;      // what NumPy's function gives is a view of memory that it made
  bool may_be_view = false;  // ... or is one for some values
};

// Every tensor of a trace is made by this folder.
inline NumpyTensor* AsNumpy(symbolic::TensorValue* tensor) {
  return static_cast<NumpyTensor*>(tensor);
}

// What makes a result of these operands, in NumPy's "K" order, C-contiguous.
COrder Combine(const COrder& a, const COrder& b);

// Whether `tensor` is C-contiguous: then it is guarded to be so at every call.
bool RequireCOrder(symbolic::TraceContext& trace, symbolic::TensorValue* tensor);

}  // namespace dynacc::numpy
