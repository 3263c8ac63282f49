// The units that CPython's loop executes: the code object's own, specialised copy of its bytecode.
//
// `co_code` and everything made from it (dis, marshal, replace) come from a cache that
// PyCode_GetCode fills; after that, a change of an executed unit shows only in
// `_co_code_adaptive` and in comparisons of code objects.
#pragma once

#include <cstdint>

#include "frontend/cpython/internals.h"

namespace dynacc {

// The opcode of the unit at `offset` as it is executed now, and its replacement; the argument
// stays.
inline uint8_t ExecutedOpcode(const PyCodeObject* code, int offset) {
  return _Py_OPCODE(_PyCode_CODE(code)[offset]);
}
inline void SetExecutedOpcode(PyCodeObject* code, int offset, uint8_t opcode) {
  _Py_SET_OPCODE(_PyCode_CODE(code)[offset], opcode);
}

}  // namespace dynacc
