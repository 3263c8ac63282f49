#include "runtime/cpu/loops/extreme_blocks.h"
#include "runtime/cpu/loops/integer_sums.h"
#include "runtime/cpu/loops/pairwise_blocks.h"
#include "runtime/cpu/loops/reduce_levels.h"
#include "runtime/cpu/loops/row_sum_blocks.h"

namespace dynacc::cpu {

const ReduceFns kReduceFnsV4 = {
    {&PairwiseSums<float, 8, 32>::Run, &PairwiseSums<double, 8, 64>::Run},
    &IntegerSums::Run,
    {&RowSums<float, 32>::Run, &RowSums<double, 64>::Run},
    {&PairwiseSums<float, 8, 32>::FinishFolded, &PairwiseSums<double, 8, 64>::FinishFolded},
    &IntegerSums::FinishFolded,
    {&ExtremeOfRun<float, 1, 64>::Run, &ExtremeOfRun<double, 1, 64>::Run},
    {&ExtremeOfRun<float, -1, 64>::Run, &ExtremeOfRun<double, -1, 64>::Run},
    {&ExtremeOfRun<float, 1, 64>::RunRows, &ExtremeOfRun<double, 1, 64>::RunRows},
    {&ExtremeOfRun<float, -1, 64>::RunRows, &ExtremeOfRun<double, -1, 64>::RunRows},
    {&ExtremeOfRun<float, 1, 64>::Find, &ExtremeOfRun<double, 1, 64>::Find},
    {&ExtremeOfRun<float, -1, 64>::Find, &ExtremeOfRun<double, -1, 64>::Find},
};

}  // namespace dynacc::cpu
