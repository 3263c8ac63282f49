#include "runtime/cpu/loops/move_blocks.h"

namespace dynacc::cpu {

const MoveFns kMoveFnsBase = MoveFnsOf<16>();

}  // namespace dynacc::cpu
