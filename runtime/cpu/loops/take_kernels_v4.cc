#include "runtime/cpu/loops/take_blocks.h"

namespace dynacc::cpu {

const TakeFns kTakeFnsV4 = {&TakeRows};

}  // namespace dynacc::cpu
