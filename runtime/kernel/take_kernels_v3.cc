#include "runtime/kernel/take_blocks.h"

namespace dynacc {

const TakeFns kTakeFnsV3 = {&IndicesFit, &TakeRows};

}  // namespace dynacc
