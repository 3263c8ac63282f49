#include "runtime/cpu/loops/take_blocks.h"

namespace dynacc::cpu {

const TakeFns kTakeFnsV3 = {&TakeRows};

}  // namespace dynacc::cpu
