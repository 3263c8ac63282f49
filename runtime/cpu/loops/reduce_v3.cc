#include "runtime/cpu/loops/extreme_blocks.h"
#include "runtime/cpu/loops/integer_sums.h"
#include "runtime/cpu/loops/pairwise_blocks.h"
#include "runtime/cpu/loops/reduce_levels.h"
#include "runtime/cpu/loops/row_sum_blocks.h"

namespace dynacc::cpu {

const ReduceFns kReduceFnsV3 = {
    {&PairwiseSums<float, 8, 32>::Run, &PairwiseSums<double, 4, 32>::Run},
    &IntegerSums::Run,
    {&RowSums<float, 32>::Run, &RowSums<double, 32>::Run},
    {&PairwiseSums<float, 8, 32>::FinishFolded, &PairwiseSums<double, 4, 32>::FinishFolded},
    &IntegerSums::FinishFolded,
    {&ExtremeOfRun<float, 1, 32>::Run, &ExtremeOfRun<double, 1, 32>::Run},
    {&ExtremeOfRun<float, -1, 32>::Run, &ExtremeOfRun<double, -1, 32>::Run},
    {&ExtremeOfRun<float, 1, 32>::RunRows, &ExtremeOfRun<double, 1, 32>::RunRows},
    {&ExtremeOfRun<float, -1, 32>::RunRows, &ExtremeOfRun<double, -1, 32>::RunRows},
    {&ExtremeOfRun<float, 1, 32>::Find, &ExtremeOfRun<double, 1, 32>::Find},
    {&ExtremeOfRun<float, -1, 32>::Find, &ExtremeOfRun<double, -1, 32>::Find},
};

}  // namespace dynacc::cpu
