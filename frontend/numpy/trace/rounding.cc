// np.round to whole numbers, which is rint (PyArray_Round in
// numpy/core/src/multiarray/calculation.c).
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/known_int.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::StatusOr<symbolic::Value*> TraceRound(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("out"));
  if (args["decimals"] != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t decimals, KnownInt(trace, args["decimals"]));
    if (decimals != 0) return symbolic::GraphBreak("rounding to decimals");
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  if (a->is_scalar || a->node->rank() == 0 || !IsFloat(a->node->dtype)) {
    return symbolic::GraphBreak("rounding of these elements");
  }
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result,
                          Elementwise(trace, Op::kRint, {static_cast<symbolic::Value*>(a)}));
  return result;
}

}  // namespace dynacc::numpy
