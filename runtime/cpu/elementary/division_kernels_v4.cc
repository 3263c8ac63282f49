#include "runtime/cpu/elementary/division_kernels.h"

#if defined(__FMA__)
#include "runtime/cpu/elementary/division_lanes.h"

namespace dynacc {

const DivisionKernels kDivisionKernelsV4 = {
    DivisionFnsOf<FloatDivision<FloatForm>>(), DivisionFnsOf<FloatDivision<DoubleForm>>(),
    DivisionFnsOf<IntDivision<int32_t>>(), DivisionFnsOf<IntDivision<int64_t>>()};

}  // namespace dynacc

#else

namespace dynacc {

const DivisionKernels kDivisionKernelsV4 = {};

}  // namespace dynacc

#endif
