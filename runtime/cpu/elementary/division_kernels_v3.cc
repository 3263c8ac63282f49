#include "runtime/cpu/elementary/division_kernels.h"

#if defined(__FMA__)
#include "runtime/cpu/elementary/division_lanes.h"

namespace dynacc::cpu {

const DivisionKernels kDivisionKernelsV3 = {DivisionFnsOf<FloatDivision<FloatForm>>(),
                                            DivisionFnsOf<FloatDivision<DoubleForm>>(),
                                            DivisionFnsOf<IntDivision<int32_t>>(),
                                            {}};

}  // namespace dynacc::cpu

#else

namespace dynacc::cpu {

const DivisionKernels kDivisionKernelsV3 = {};

}  // namespace dynacc::cpu

#endif
