#include "runtime/cpu/loops/move_blocks.h"

namespace dynacc::cpu {

const MoveFns kMoveFnsV4 = MoveFnsOf<64>();

}  // namespace dynacc::cpu
