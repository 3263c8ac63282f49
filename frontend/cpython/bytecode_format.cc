#include "frontend/cpython/bytecode_format.h"

#include <algorithm>

#include "frontend/cpython/layout.h"

namespace dynacc {
namespace {

constexpr int kUnitBytes = 2;
constexpr int kCellOrFree = 0x40 | 0x80;  // CO_FAST_CELL | CO_FAST_FREE

uint8_t OpcodeOfName(const char* name) {
  for (int opcode = UNKNOWN_OPCODE + 1; name != nullptr && opcode < kNumOpcodes; ++opcode) {
    if (absl::string_view(OpcodeName(opcode)) == name) return static_cast<uint8_t>(opcode);
  }
  return UNKNOWN_OPCODE;
}

}  // namespace

// JUMP_BACKWARD_NO_INTERRUPT only waits for what `yield from` and `await` run.
bool Instruction::JumpsBack() const {
  return target >= 0 && target <= start && opcode != JUMP_BACKWARD_NO_INTERRUPT;
}

bool NativeCode::IsCell(int local) const {
  return local < static_cast<int>(local_kinds.size()) && (local_kinds[local] & kCellOrFree) != 0;
}

BytecodeFormat::BytecodeFormat(const char* version, const Rows& rows, Translate translate,
                               Conventions conventions)
    : version_(version), rows_(rows), translate_(translate), conventions_(conventions) {
  std::transform(rows.begin(), rows.end(), same_name_.begin(),
                 [](const NativeOpcode& row) { return OpcodeOfName(row.name); });
}

NativeCode BytecodeFormat::Read(absl::Span<const uint8_t> bytecode,
                                absl::Span<const char> local_kinds) const {
  NativeCode code;
  code.local_kinds = local_kinds;
  const int units = static_cast<int>(bytecode.size()) / kUnitBytes;
  code.index_at.resize(units);
  uint32_t prefix = 0;
  int start = 0;
  for (int unit = 0; unit < units;) {
    const uint8_t opcode = bytecode[unit * kUnitBytes];
    const NativeOpcode& row = rows_[opcode];
    const uint32_t arg = prefix << 8 | bytecode[unit * kUnitBytes + 1];
    const int next = unit + 1 + row.caches;
    std::fill(code.index_at.begin() + unit, code.index_at.begin() + std::min(next, units),
              static_cast<int>(code.instructions.size()));
    if (row.name != nullptr && absl::string_view(row.name) == "EXTENDED_ARG") {
      prefix = arg;
    } else {
      const int shown = row.takes_argument ? static_cast<int>(arg) : 0;
      const int target =
          row.jump == JumpKind::kNone ? -1 : next + static_cast<int>(row.jump) * shown;
      code.instructions.push_back({unit, start, next, opcode, shown, target});
      prefix = 0;
      start = next;
    }
    unit = next;
  }
  return code;
}

std::vector<Instruction> BytecodeFormat::Decode(const NativeCode& code) const {
  std::vector<Instruction> result;
  result.reserve(code.instructions.size());
  const int count = static_cast<int>(code.instructions.size());
  for (int i = 0; i < count;) {
    const NativeInstruction& at = code.instructions[i];
    Instruction made = {at.offset, at.start, at.next, same_name_[at.opcode], at.arg, at.target, 0};
    i += translate_(*this, code, i, &made);
    result.push_back(made);
  }
  return result;
}

std::vector<const BytecodeFormat*> AllBytecodeFormats() {
  return {&BytecodeFormat311(), &BytecodeFormat313(), &BytecodeFormat314()};
}

const BytecodeFormat& RunningBytecodeFormat() { return DYNACC_RUNNING_FORMAT(); }

}  // namespace dynacc
