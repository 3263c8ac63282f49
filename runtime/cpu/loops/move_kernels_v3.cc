#include "runtime/cpu/loops/move_blocks.h"

namespace dynacc::cpu {

const MoveFns kMoveFnsV3 = MoveFnsOf<32>();

}  // namespace dynacc::cpu
