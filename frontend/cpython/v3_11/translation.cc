// CPython 3.11's instructions in terms of DynaCC's. Source: Python/ceval.c.
#include "frontend/cpython/bytecode_format.h"

namespace dynacc {
namespace {

constexpr BytecodeFormat::Rows MakeRows() {
  BytecodeFormat::Rows rows = {};
#define DYNACC_NATIVE_OPCODE(name, number, caches, jump, takes_argument) \
  rows[number] = {#name, caches, JumpKind::jump, takes_argument};
#include "frontend/cpython/v3_11/opcodes.def"
#undef DYNACC_NATIVE_OPCODE
  return rows;
}

constexpr BytecodeFormat::Rows kRows = MakeRows();

struct Renamed {
  absl::string_view name;
  Opcode opcode;
};

constexpr Renamed kRenamed[] = {
    {"LOAD_ASSERTION_ERROR", LOAD_COMMON_CONSTANT},
    // A jump's direction is what its target says.
    {"POP_JUMP_FORWARD_IF_FALSE", POP_JUMP_IF_FALSE},
    {"POP_JUMP_FORWARD_IF_TRUE", POP_JUMP_IF_TRUE},
    {"POP_JUMP_FORWARD_IF_NONE", POP_JUMP_IF_NONE},
    {"POP_JUMP_FORWARD_IF_NOT_NONE", POP_JUMP_IF_NOT_NONE},
    {"POP_JUMP_BACKWARD_IF_FALSE", POP_JUMP_IF_FALSE},
    {"POP_JUMP_BACKWARD_IF_TRUE", POP_JUMP_IF_TRUE},
    {"POP_JUMP_BACKWARD_IF_NONE", POP_JUMP_IF_NONE},
    {"POP_JUMP_BACKWARD_IF_NOT_NONE", POP_JUMP_IF_NOT_NONE},
};

// [KW_NAMES] PRECALL CALL. CPython keeps the names between them in a local variable of its loop, so
// that a frame cannot stop there.
int TranslateCall(const NativeCode& code, int index, bool has_keywords, Instruction* result) {
  const int count = has_keywords ? 3 : 2;
  const NativeInstruction& call = code.instructions[index + count - 1];
  result->opcode = has_keywords ? CALL_KW : CALL;
  result->keywords = has_keywords ? code.instructions[index].arg : -1;
  result->offset = call.offset;
  result->next = call.next;
  result->arg = call.arg;
  return count;
}

int Translate(const BytecodeFormat& format, const NativeCode& code, int index,
              Instruction* result) {
  const NativeInstruction& at = code.instructions[index];
  if (format.Is(at, "KW_NAMES")) return TranslateCall(code, index, true, result);
  if (format.Is(at, "PRECALL")) return TranslateCall(code, index, false, result);
  for (const Renamed& row : kRenamed) {
    if (format.Is(at, row.name)) result->opcode = row.opcode;
  }
  return 1;
}

}  // namespace

const BytecodeFormat& BytecodeFormat311() {
  static const BytecodeFormat format("3.11", kRows, &Translate,
                                     {.pushes_null_first = true, .jumps_before_polling = true});
  return format;
}

}  // namespace dynacc
