#include "runtime/cpu/elementary/division_kernels.h"

#if defined(__FMA__)
#include "runtime/cpu/elementary/division_lanes.h"

namespace dynacc {

const DivisionKernels kDivisionKernelsV3 = {DivisionFnsOf<FloatDivision<FloatForm>>(),
                                            DivisionFnsOf<FloatDivision<DoubleForm>>(),
                                            DivisionFnsOf<IntDivision<int32_t>>(),
                                            {}};

}  // namespace dynacc

#else

namespace dynacc {

const DivisionKernels kDivisionKernelsV3 = {};

}  // namespace dynacc

#endif
