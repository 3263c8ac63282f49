#include "frontend/bytecode/decoded_code.h"

#include <opcode.h>

#include "frontend/bytecode/code_tables.h"
#include "frontend/bytecode/dataflow.h"
#include "frontend/cpython/opcode_table.h"
#include "runtime/base/check.h"

namespace dynacc::bytecode {
namespace {

constexpr int kUnitBytes = 2;

int JumpTarget(const Instruction& instruction) {
  const JumpKind jump = GetOpcodeInfo(instruction.opcode).jump;
  if (jump == JumpKind::kNone) return -1;
  return instruction.next + static_cast<int>(jump) * instruction.arg;
}

}  // namespace

std::shared_ptr<const DecodedCode> DecodedCode::Decode(PyCodeObject* code) {
  auto decoded = std::make_shared<DecodedCode>();
  decoded->code_ = code;
  Ref bytecode = Ref::Steal(PyCode_GetCode(code));
  DYNACC_CHECK(bytecode) << "no memory for a code object's bytecode";
  decoded->DecodeInstructions(bytecode.get());
  decoded->DecodeLines();
  decoded->DecodeHandlers();
  decoded->loop_header_.resize(decoded->instructions_.size());
  for (const Instruction& instruction : decoded->instructions_) {
    if (instruction.target < 0 || instruction.target > instruction.start) continue;
    decoded->loop_header_[decoded->IndexAt(instruction.target)] = true;
    decoded->has_loop_ = true;
  }
  decoded->depth_ = ComputeStackDepths(*decoded);
  decoded->live_ = ComputeLiveLocals(*decoded);
  return decoded;
}

void DecodedCode::DecodeInstructions(BorrowedRef bytecode) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytecode));
  const int units = static_cast<int>(PyBytes_GET_SIZE(bytecode) / kUnitBytes);
  index_at_.resize(units);
  uint32_t prefix = 0;
  int start = 0;
  for (int unit = 0; unit < units;) {
    const uint8_t opcode = bytes[unit * kUnitBytes];
    const uint32_t arg = prefix << 8 | bytes[unit * kUnitBytes + 1];
    const int next = unit + 1 + GetOpcodeInfo(opcode).caches;
    for (int covered = unit; covered < next && covered < units; ++covered)
      index_at_[covered] = static_cast<int>(instructions_.size());
    if (opcode == EXTENDED_ARG) {
      prefix = arg;
    } else {
      const int shown = opcode >= HAVE_ARGUMENT ? static_cast<int>(arg) : 0;
      instructions_.push_back({unit, start, next, opcode, shown, -1, 0});
      instructions_.back().target = JumpTarget(instructions_.back());
      prefix = 0;
      start = next;
    }
    unit = next;
  }
}

void DecodedCode::DecodeLines() {
  const std::vector<int> lines =
      DecodeLineTable(code_->co_linetable, code_->co_firstlineno, index_at_.size());
  for (Instruction& instruction : instructions_) instruction.line = lines[instruction.offset];
}

void DecodedCode::DecodeHandlers() { handlers_ = DecodeExceptionTable(code_->co_exceptiontable); }

bool DecodedCode::InHandlerRange(int offset) const {
  for (const HandlerRange& range : handlers_)
    if (offset >= range.start && offset < range.end) return true;
  return false;
}

// JUMP_BACKWARD_NO_INTERRUPT only waits for what `yield from` and `await` run.
bool Instruction::JumpsBack() const {
  return target >= 0 && target <= start && opcode != JUMP_BACKWARD_NO_INTERRUPT;
}

bool DecodedCode::CallsBetween(int start, int end) const {
  for (const Instruction& at : instructions_) {
    const bool calls = at.opcode == CALL || at.opcode == CALL_FUNCTION_EX;
    if (calls && at.start >= start && at.start < end) return true;
  }
  return false;
}

const char* OpcodeName(int opcode) {
  const char* name = GetOpcodeInfo(opcode).name;
  return name == nullptr ? "<unknown>" : name;
}

}  // namespace dynacc::bytecode
