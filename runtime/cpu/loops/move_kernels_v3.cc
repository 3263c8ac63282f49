#include "runtime/cpu/loops/move_blocks.h"

namespace dynacc {

const MoveFns kMoveFnsV3 = MoveFnsOf<32>();

}  // namespace dynacc
