#include "runtime/cpu/loops/take_blocks.h"

namespace dynacc {

const TakeFns kTakeFnsBase = {&TakeRows};

}  // namespace dynacc
