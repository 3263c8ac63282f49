// The two dataflow analyses over decoded bytecode that DecodedCode carries.
#pragma once

#include <vector>

#include "frontend/bytecode/decoded_code.h"

namespace dynacc::bytecode {

// Forward, from depth 0 at the first instruction, along jumps and into exception handlers. One
// entry an instruction; -1: unreachable.
std::vector<int> ComputeStackDepths(const DecodedCode& code);

// Backward. A local is live if some path, those through exception handlers included, may read it
// before writing it; a raise statement reads all of them, for its traceback. Cells are always live.
// One entry an instruction, one bit a localsplus entry.
std::vector<std::vector<bool>> ComputeLiveLocals(const DecodedCode& code);

}  // namespace dynacc::bytecode
