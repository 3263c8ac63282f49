#include "frontend/cpython/opcodes.h"

namespace dynacc {

const char* OpcodeName(int opcode) {
  static constexpr const char* kNames[] = {
      "<unknown>",
#define DYNACC_OPCODE(name, ...) #name,
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  };
  return opcode < kNumOpcodes ? kNames[opcode] : kNames[0];
}

int OpcodeStackEffect(int opcode, int arg, bool jump) {
  using Effect = int (*)(int arg, bool jump);
  static constexpr Effect kEffects[] = {
      [](int, bool) { return 0; },
#define DYNACC_OPCODE(name, through, to_target, locals, traits) \
  [](int arg, bool jump) { return static_cast<void>(arg), jump ? (to_target) : (through); },
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  };
  return opcode < kNumOpcodes ? kEffects[opcode](arg, jump) : 0;
}

LocalUse LocalUseOf(int opcode) {
  static constexpr LocalUse kUses[] = {
      LocalUse::kNone,
#define DYNACC_OPCODE(name, through, to_target, locals, traits) LocalUse::locals,
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  };
  return opcode < kNumOpcodes ? kUses[opcode] : LocalUse::kNone;
}

bool OpcodeHas(int opcode, OpcodeTrait trait) {
  static constexpr int kTraits[] = {
      kNoTrait,
#define DYNACC_OPCODE(name, through, to_target, locals, traits) traits,
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  };
  return opcode < kNumOpcodes && (kTraits[opcode] & trait) != 0;
}

}  // namespace dynacc
