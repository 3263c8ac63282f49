// OpcodeTable: what decoding needs to know of each opcode of the CPython that we are built for.
#pragma once

#include <cstdint>

namespace dynacc {

// The value is the direction: the target is the next instruction's unit + direction * argument.
enum class JumpKind : int8_t { kBackward = -1, kNone = 0, kForward = 1 };

struct OpcodeInfo {
  const char* name = nullptr;  // null: no such opcode
  uint8_t caches = 0;          // code units of inline cache that follow
  JumpKind jump = JumpKind::kNone;
};

// `opcode` is a de-specialised opcode, 0 to 255.
const OpcodeInfo& GetOpcodeInfo(int opcode);

// The change of the stack depth, on the way through or (`jump`) on the way to the jump target.
int OpcodeStackEffect(int opcode, int arg, bool jump);

}  // namespace dynacc
