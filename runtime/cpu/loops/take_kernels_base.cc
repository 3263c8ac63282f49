#include "runtime/cpu/loops/take_blocks.h"

namespace dynacc::cpu {

const TakeFns kTakeFnsBase = {&TakeRows};

}  // namespace dynacc::cpu
