#include "frontend/bytecode/local_access.h"

#include "frontend/cpython/opcodes.h"

namespace dynacc::bytecode {

void LocalAccesses::Find(const Instruction& at) {
  const int first = at.arg >> 4, second = at.arg & 15;  // of a pair
  switch (LocalUseOf(at.opcode)) {
    case LocalUse::kNone:
      return;
    case LocalUse::kReads:
      return Add(at.arg, true, false);
    case LocalUse::kWrites:
      return Add(at.arg, false, true);
    case LocalUse::kReadsAndWrites:
      return Add(at.arg, true, true);
    case LocalUse::kReadsTwo:
      Add(first, true, false);
      return Add(second, true, false);
    case LocalUse::kWritesAndReads:
      Add(first, false, true);
      return Add(second, true, false);
    case LocalUse::kWritesTwo:
      Add(first, false, true);
      return Add(second, false, true);
  }
}

}  // namespace dynacc::bytecode
