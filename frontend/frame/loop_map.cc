#include "frontend/frame/loop_map.h"

#include <opcode.h>

#include <algorithm>

#include "frontend/cpython/code_units.h"
#include "frontend/cpython/opcode_table.h"

namespace dynacc {
namespace {

// JUMP_BACKWARD_NO_INTERRUPT only waits for what `yield from` and `await` run.
bool JumpsBack(const Instruction& at) {
  return at.target >= 0 && at.target <= at.start && at.opcode != JUMP_BACKWARD_NO_INTERRUPT;
}

Loop& LoopAt(std::vector<Loop>& loops, int header) {
  const auto found = std::find_if(loops.begin(), loops.end(),
                                  [header](const Loop& loop) { return loop.header == header; });
  if (found != loops.end()) return *found;
  loops.push_back({.header = header, .end = header, .plain_back_edges = {}});
  return loops.back();
}

}  // namespace

std::vector<Loop> FindLoops(const DecodedCode& code) {
  std::vector<Loop> loops;
  for (const Instruction& at : code.instructions()) {
    if (!JumpsBack(at)) continue;
    Loop& loop = LoopAt(loops, at.target);
    loop.end = std::max(loop.end, at.next);
    if (at.opcode == JUMP_BACKWARD) loop.plain_back_edges.push_back(at.offset);
  }
  std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
    return a.header != b.header ? a.header < b.header : a.end > b.end;
  });
  return loops;
}

bool MayLoop(PyCodeObject* code) {
  const auto units = static_cast<int>(Py_SIZE(code));
  for (int i = 0; i < units; ++i) {
    // A cache unit may look like a jump; then there is a look too many.
    const uint8_t opcode = ExecutedOpcode(code, i);
    if (opcode == JUMP_BACKWARD_QUICK) return true;
    if (GetOpcodeInfo(opcode).jump == JumpKind::kBackward) return true;
  }
  return false;
}

}  // namespace dynacc
