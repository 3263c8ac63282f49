// Our own reductions of runs, once for each instruction-set level: reduce_base.cc and its like,
// each compiled for its level.
#pragma once

#include "runtime/cpu/loops/extreme_run.h"
#include "runtime/cpu/loops/folded_sum.h"
#include "runtime/cpu/loops/pairwise_sum.h"
#include "runtime/cpu/loops/row_sum.h"

namespace dynacc::cpu {

template <typename Fn>
struct FnsByType {
  Fn float32;
  Fn float64;
};

struct ReduceFns {
  FnsByType<SumRunsFn> sum;
  SumRunsFn sum_integers;  // of 64 bits
  FnsByType<SumRowsFn> sum_rows;
  FnsByType<FinishFoldedFn> finish_folded;
  FinishFoldedFn finish_folded_integers;
  FnsByType<ExtremeRunFn> max;
  FnsByType<ExtremeRunFn> min;
  FnsByType<ExtremeRowsFn> max_rows;
  FnsByType<ExtremeRowsFn> min_rows;
  FnsByType<ArgExtremeFn> arg_max;
  FnsByType<ArgExtremeFn> arg_min;
};

extern const ReduceFns kReduceFnsBase;
extern const ReduceFns kReduceFnsV3;  // AVX2
extern const ReduceFns kReduceFnsV4;  // AVX-512

// The best of them on this machine that DYNACC_CPU allows.
const ReduceFns& ReduceFnsOfThisMachine();

}  // namespace dynacc::cpu
