#if defined(__x86_64__)
#include "runtime/kernel/pairwise_blocks.h"
#include "runtime/kernel/pairwise_levels.h"

namespace dynacc {

const SumRunsFns kSumRunsV4 = {&PairwiseSums<float, 8>::Run, &PairwiseSums<double, 8>::Run};

}  // namespace dynacc
#endif
