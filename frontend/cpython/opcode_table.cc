#include "frontend/cpython/opcode_table.h"

#include <Python.h>
#include <compile.h>

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
  return PyCompile_OpcodeStackEffectWithJump(opcode, arg, jump ? 1 : 0);
}

}  // namespace dynacc
