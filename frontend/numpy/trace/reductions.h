// Reductions as np.sum, np.mean and their kin do them.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// The arguments that all reductions share.
struct Reduction {
  NumpyTensor* array = nullptr;
  std::vector<int64_t> axes;  // ascending
  bool keepdims = false;
  std::optional<DType> dtype;
};

// GraphBreak for arrays of rank 0, and for `out`, `initial` and `where`.
absl::StatusOr<Reduction> ReductionFrom(symbolic::TraceContext& trace, const BoundArgs& args);

// The reduction by a ufunc of the array's elements in `dtype`. GraphBreak if the cast could change
// the order in which floats are added.
absl::StatusOr<NumpyTensor*> Reduce(symbolic::TraceContext& trace, Op op,
                                    const Reduction& reduction, DType dtype);

// How many elements go into one result.
Size CountOf(symbolic::TraceContext& trace, const Reduction& reduction);

}  // namespace dynacc::numpy
