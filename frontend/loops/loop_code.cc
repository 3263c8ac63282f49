#include "frontend/loops/loop_code.h"

#include <algorithm>

#include "frontend/cpython/opcodes.h"

namespace dynacc::loops {
namespace {

bool IsConditional(int opcode) {
  return opcode == POP_JUMP_IF_FALSE || opcode == POP_JUMP_IF_TRUE || opcode == POP_JUMP_IF_NONE ||
         opcode == POP_JUMP_IF_NOT_NONE;
}

}  // namespace

LoopCode::LoopCode(const bytecode::DecodedCode& decoded, const frame::Loop* loop,
                   const LoopVariables& of, uint16_t base)
    : code(decoded),
      loop(loop),
      variables(of),
      max_stack(decoded.code()->co_stacksize),
      base(base),
      is_target(decoded.instructions().back().next + 1, false),
      is_passed_by(decoded.instructions().back().next + 1, false),
      is_set(variables.count(), false) {
  for (const bytecode::Instruction& at : code.instructions()) {
    if (at.target >= 0) is_target[at.target] = true;
    if (!Contains(at.start)) continue;
    const bool is_pair = at.opcode == STORE_FAST_LOAD_FAST || at.opcode == STORE_FAST_STORE_FAST;
    if (at.opcode == STORE_FAST || is_pair) is_set[is_pair ? at.arg >> 4 : at.arg] = true;
    if (at.opcode == STORE_FAST_STORE_FAST) is_set[at.arg & 15] = true;
    if (at.opcode == STORE_DEREF) is_set[at.arg] = true;
    if (at.opcode == STORE_NAME || at.opcode == STORE_GLOBAL) is_set[of.OfName(at.arg)] = true;
  }
  FindWhatIsPassedBy();
}

// What a jump forward in the loop goes past. The test before a while loop is none that counts: it
// goes to the loop's end, before which a jump goes back to what follows the test.
void LoopCode::FindWhatIsPassedBy() {
  for (const bytecode::Instruction& at : code.instructions()) {
    const bool jumps = IsConditional(at.opcode) || at.opcode == JUMP_FORWARD;
    if (!jumps || at.target < at.next || !Contains(at.start) || !Contains(at.target)) continue;
    bool is_while = false;
    for (const bytecode::Instruction& inner : code.instructions()) {
      if (inner.start >= at.next && inner.start < at.target && inner.target == at.next) {
        is_while = true;
      }
    }
    if (is_while) continue;
    std::fill(is_passed_by.begin() + at.next, is_passed_by.begin() + at.target, true);
  }
}

}  // namespace dynacc::loops
