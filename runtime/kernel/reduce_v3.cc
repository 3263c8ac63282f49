#include "runtime/kernel/extreme_blocks.h"
#include "runtime/kernel/pairwise_blocks.h"
#include "runtime/kernel/reduce_levels.h"

namespace dynacc {

const ReduceFns kReduceFnsV3 = {
    {&PairwiseSums<float, 8, 32>::Run, &PairwiseSums<double, 4, 32>::Run},
    {&ExtremeOfRun<float, 1, 32>::Run, &ExtremeOfRun<double, 1, 32>::Run},
    {&ExtremeOfRun<float, -1, 32>::Run, &ExtremeOfRun<double, -1, 32>::Run},
};

}  // namespace dynacc
