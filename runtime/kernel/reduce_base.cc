#include "runtime/kernel/extreme_blocks.h"
#include "runtime/kernel/pairwise_blocks.h"
#include "runtime/kernel/reduce_levels.h"

namespace dynacc {

const ReduceFns kReduceFnsBase = {
    {&PairwiseSums<float, 4>::Run, &PairwiseSums<double, 2>::Run},
    {&ExtremeOfRun<float, 1>::Run, &ExtremeOfRun<double, 1>::Run},
    {&ExtremeOfRun<float, -1>::Run, &ExtremeOfRun<double, -1>::Run},
};

}  // namespace dynacc
