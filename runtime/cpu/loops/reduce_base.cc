#include "runtime/cpu/loops/extreme_blocks.h"
#include "runtime/cpu/loops/integer_sums.h"
#include "runtime/cpu/loops/pairwise_blocks.h"
#include "runtime/cpu/loops/reduce_levels.h"
#include "runtime/cpu/loops/row_sum_blocks.h"

namespace dynacc::cpu {

const ReduceFns kReduceFnsBase = {
    {&PairwiseSums<float, 4, 16>::Run, &PairwiseSums<double, 2, 16>::Run},
    &IntegerSums::Run,
    {&RowSums<float, 16>::Run, &RowSums<double, 16>::Run},
    {&PairwiseSums<float, 4, 16>::FinishFolded, &PairwiseSums<double, 2, 16>::FinishFolded},
    &IntegerSums::FinishFolded,
    {&ExtremeOfRun<float, 1, 16>::Run, &ExtremeOfRun<double, 1, 16>::Run},
    {&ExtremeOfRun<float, -1, 16>::Run, &ExtremeOfRun<double, -1, 16>::Run},
    {&ExtremeOfRun<float, 1, 16>::RunRows, &ExtremeOfRun<double, 1, 16>::RunRows},
    {&ExtremeOfRun<float, -1, 16>::RunRows, &ExtremeOfRun<double, -1, 16>::RunRows},
    {&ExtremeOfRun<float, 1, 16>::Find, &ExtremeOfRun<double, 1, 16>::Find},
    {&ExtremeOfRun<float, -1, 16>::Find, &ExtremeOfRun<double, -1, 16>::Find},
};

}  // namespace dynacc::cpu
