#include "runtime/kernel/extreme_run.h"

#include "runtime/kernel/reduce_levels.h"

namespace dynacc {
namespace {

ExtremeRunFn Pick(const FnsByType<ExtremeRunFn>& fns, DType dtype) {
  if (dtype == DType::kFloat64) return fns.float64;
  return dtype == DType::kFloat32 ? fns.float32 : nullptr;
}

}  // namespace

ExtremeRunFn FindMaxRun(DType dtype) { return Pick(ReduceFnsOfThisMachine().max, dtype); }

ExtremeRunFn FindMinRun(DType dtype) { return Pick(ReduceFnsOfThisMachine().min, dtype); }

}  // namespace dynacc
