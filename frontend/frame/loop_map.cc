#include "frontend/frame/loop_map.h"

#include <algorithm>

#include "frontend/cpython/layout.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::frame {
namespace {

// CPython may execute a pair of instructions as one: loads and stores of constants and fast locals,
// and a comparison with the conditional jump that follows. A jump to the second half finds it
// whole.
bool MayEnterByOsr(const bytecode::Instruction& header) {
  const bool conditional = header.target >= 0 && header.opcode != FOR_ITER;
  return header.next - header.start >= kTrapUnits && header.opcode != LOAD_FAST &&
         header.opcode != STORE_FAST && header.opcode != LOAD_CONST && !conditional;
}

Loop& LoopAt(std::vector<Loop>& loops, const bytecode::DecodedCode& code, int header) {
  const auto found = std::find_if(loops.begin(), loops.end(),
                                  [header](const Loop& loop) { return loop.header == header; });
  if (found != loops.end()) return *found;
  const int trap = MayEnterByOsr(code.At(header)) ? code.At(header).offset : -1;
  loops.push_back({.header = header, .end = header, .trap = trap, .plain_back_edges = {}});
  return loops.back();
}

// CPython tests a `while` loop's condition at the loop's end once more, and jumps from there behind
// the test at its beginning, where a `continue` jumps to. Two headers share one body then: the loop
// of the first one goes on to the end of the other's. `loops` are sorted.
void JoinOverlapping(std::vector<Loop>& loops) {
  for (size_t outer = 0; outer < loops.size(); ++outer) {
    for (size_t i = outer + 1; i < loops.size() && loops[outer].Contains(loops[i].header); ++i) {
      loops[outer].end = std::max(loops[outer].end, loops[i].end);
    }
  }
}

}  // namespace

std::vector<Loop> FindLoops(const bytecode::DecodedCode& code) {
  std::vector<Loop> loops;
  for (const bytecode::Instruction& at : code.instructions()) {
    if (!at.JumpsBack()) continue;
    Loop& loop = LoopAt(loops, code, at.target);
    loop.end = std::max(loop.end, at.next);
    if (at.opcode == JUMP_BACKWARD) loop.plain_back_edges.push_back(at.offset);
  }
  std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
    return a.header != b.header ? a.header < b.header : a.end > b.end;
  });
  JoinOverlapping(loops);
  return loops;
}

bool MayLoop(PyCodeObject* code) {
  const auto units = static_cast<int>(Py_SIZE(code));
  for (int i = 0; i < units; ++i) {
    // A cache unit may look like a jump; then there is a look too many.
    if (MayJumpBack(ExecutedOpcode(code, i))) return true;
  }
  return false;
}

}  // namespace dynacc::frame
