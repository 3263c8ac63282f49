#include "runtime/cpu/loops/extreme_run.h"

#include "runtime/cpu/loops/reduce_levels.h"

namespace dynacc::cpu {
namespace {

template <typename Fn>
Fn Pick(const FnsByType<Fn>& fns, DType dtype) {
  if (dtype == DType::kFloat64) return fns.float64;
  return dtype == DType::kFloat32 ? fns.float32 : nullptr;
}

}  // namespace

ExtremeRunFn FindMaxRun(DType dtype) { return Pick(ReduceFnsOfThisMachine().max, dtype); }

ExtremeRunFn FindMinRun(DType dtype) { return Pick(ReduceFnsOfThisMachine().min, dtype); }

ExtremeRowsFn FindMaxRows(DType dtype) { return Pick(ReduceFnsOfThisMachine().max_rows, dtype); }

ExtremeRowsFn FindMinRows(DType dtype) { return Pick(ReduceFnsOfThisMachine().min_rows, dtype); }

ArgExtremeFn FindArgMax(DType dtype) { return Pick(ReduceFnsOfThisMachine().arg_max, dtype); }

ArgExtremeFn FindArgMin(DType dtype) { return Pick(ReduceFnsOfThisMachine().arg_min, dtype); }

}  // namespace dynacc::cpu
