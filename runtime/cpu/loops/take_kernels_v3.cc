#include "runtime/cpu/loops/take_blocks.h"

namespace dynacc {

const TakeFns kTakeFnsV3 = {&TakeRows};

}  // namespace dynacc
