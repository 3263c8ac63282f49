// The pairwise sums of each instruction-set level: pairwise_base.cc and its like.
#pragma once

#include "runtime/kernel/pairwise_sum.h"

namespace dynacc {

struct SumRunsFns {
  SumRunsFn float32;
  SumRunsFn float64;
};

extern const SumRunsFns kSumRunsBase;
#if defined(__x86_64__)
extern const SumRunsFns kSumRunsV3;  // AVX2
extern const SumRunsFns kSumRunsV4;  // AVX-512
#endif

}  // namespace dynacc
