#include "frontend/cpython/opcode_table.h"

#include <Python.h>
#include <compile.h>
#include <opcode.h>

#include <array>

static_assert(PY_VERSION_HEX >> 16 == 0x030B, "opcodes.def is CPython 3.11's");

namespace dynacc {
namespace {

std::array<OpcodeInfo, 256> BuildTable() {
  std::array<OpcodeInfo, 256> table;
#define DYNACC_OPCODE(name, number, caches, jump) \
  table[number] = OpcodeInfo{#name, caches, JumpKind::jump};
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  return table;
}

}  // namespace

const OpcodeInfo& GetOpcodeInfo(int opcode) {
  static const std::array<OpcodeInfo, 256> table = BuildTable();
  return table[opcode & 255];
}

int OpcodeStackEffect(int opcode, int arg, bool jump) {
  // CPython counts 0, but the frame that goes on has the value that was sent to it on its stack.
  if (opcode == RETURN_GENERATOR) return 1;
  return PyCompile_OpcodeStackEffectWithJump(opcode, arg, jump ? 1 : 0);
}

}  // namespace dynacc
