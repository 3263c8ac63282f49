#include "runtime/kernel/pairwise_blocks.h"
#include "runtime/kernel/pairwise_levels.h"

namespace dynacc {

const SumRunsFns kSumRunsBase = {&PairwiseSums<float, 4>::Run, &PairwiseSums<double, 2>::Run};

}  // namespace dynacc
