#include "runtime/cpu/loops/take_blocks.h"

namespace dynacc {

const TakeFns kTakeFnsV4 = {&TakeRows};

}  // namespace dynacc
