#include "runtime/kernel/take_blocks.h"

namespace dynacc {

const TakeFns kTakeFnsV4 = {&TakeRows};

}  // namespace dynacc
