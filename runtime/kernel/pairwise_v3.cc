#if defined(__x86_64__)
#include "runtime/kernel/pairwise_blocks.h"
#include "runtime/kernel/pairwise_levels.h"

namespace dynacc {

const SumRunsFns kSumRunsV3 = {&PairwiseSums<float, 8>::Run, &PairwiseSums<double, 4>::Run};

}  // namespace dynacc
#endif
