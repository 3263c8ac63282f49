#include "frontend/bytecode/local_access.h"

#include "frontend/cpython/opcodes.h"

namespace dynacc::bytecode {

// MAKE_CELL reads the argument that it wraps; DELETE_FAST raises if the local is unbound.
void LocalAccesses::Find(const Instruction& at) {
  const int first = at.arg >> 4, second = at.arg & 15;  // of a pair
  switch (at.opcode) {
    case LOAD_FAST:
    case DELETE_FAST:
    case LOAD_CLOSURE:
    case LOAD_DEREF:
    case STORE_DEREF:
    case DELETE_DEREF:
    case LOAD_CLASSDEREF:
    case LOAD_FROM_DICT_OR_DEREF:
    case MAKE_CELL:
      return Add(at.arg, true, false);
    case STORE_FAST:
      return Add(at.arg, false, true);
    case LOAD_FAST_AND_CLEAR:
      return Add(at.arg, true, true);
    case LOAD_FAST_LOAD_FAST:
      Add(first, true, false);
      return Add(second, true, false);
    case STORE_FAST_LOAD_FAST:
      Add(first, false, true);
      return Add(second, true, false);
    case STORE_FAST_STORE_FAST:
      Add(first, false, true);
      return Add(second, false, true);
    default:
      return;
  }
}

}  // namespace dynacc::bytecode
