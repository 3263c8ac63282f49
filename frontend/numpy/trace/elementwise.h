// Elementwise operations with NumPy's semantics: promotion, broadcasting, memory order.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/operand.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "runtime/ops/op.h"

namespace dynacc::numpy {

// The operands cast and broadcast for one loop.
struct Prepared {
  std::vector<const ir::Node*> nodes;  // of one shape; dtypes as the resolver said
  std::vector<int> types;              // NumPy type numbers as the resolver said
  Shape shape;
  COrder c_order;
};

// Promotes (as `resolve` says, one type for each operand and then one for each result), casts and
// broadcasts. GraphBreak if a type is not of dtype.def.
absl::StatusOr<Prepared> Prepare(symbolic::TraceContext& trace, const Resolver& resolve,
                                 absl::Span<const Operand> operands);

// The same with the type of each operand and then of the result given, whatever NumPy would choose.
absl::StatusOr<Prepared> PrepareIn(symbolic::TraceContext& trace, absl::Span<const DType> types,
                                   absl::Span<const Operand> operands);

// `op` computed in `dtype`, whatever NumPy would choose; an array of rank 0 stays one.
absl::StatusOr<NumpyTensor*> ElementwiseIn(symbolic::TraceContext& trace, Op op, DType dtype,
                                           absl::Span<const Operand> operands);

// What calling the ufunc of `op` with these arguments gives.
absl::StatusOr<NumpyTensor*> Elementwise(symbolic::TraceContext& trace, Op op,
                                         absl::Span<const Operand> operands);
absl::StatusOr<NumpyTensor*> Elementwise(symbolic::TraceContext& trace, Op op,
                                         absl::Span<symbolic::Value* const> values);

// A fresh tensor of `shape`; a NumPy scalar if its rank is 0 and `scalar_if_rank_0`.
NumpyTensor* NewTensor(symbolic::TraceContext& trace, const ir::Node* node, const Shape& shape,
                       const COrder& c_order, bool scalar_if_rank_0 = true);

}  // namespace dynacc::numpy
