#include "frontend/frame/loop_traps.h"

#include <opcode.h>

#include <algorithm>

#include "frontend/cpython/code_units.h"

namespace dynacc {
namespace {

// Those of all frames that are running with traps: a few.
std::vector<LoopTraps*>& LiveTraps() {
  static auto& traps = *new std::vector<LoopTraps*>;
  return traps;
}

}  // namespace

LoopTraps::LoopTraps(const DecodedCode& code) : code_(code) { LiveTraps().push_back(this); }

LoopTraps::~LoopTraps() {
  Clear();
  std::erase(LiveTraps(), this);
}

void LoopTraps::Arm(int offset) {
  const uint8_t opcode = ExecutedOpcode(code(), offset);
  if (cleared_ || opcode == RETURN_VALUE) return;
  armed_.push_back({offset, opcode});
  SetExecutedOpcode(code(), offset, RETURN_VALUE);
}

void LoopTraps::Disarm(int offset) {
  const auto trap = std::find_if(armed_.begin(), armed_.end(),
                                 [offset](const Trap& armed) { return armed.offset == offset; });
  if (trap == armed_.end()) return;
  SetExecutedOpcode(code(), offset, trap->opcode);
  armed_.erase(trap);
}

void LoopTraps::Clear() {
  for (const Trap& trap : armed_) SetExecutedOpcode(code(), trap.offset, trap.opcode);
  armed_.clear();
  cleared_ = true;
}

// By the code as it was written.
bool LoopTraps::Caught(const FrameView& frame) const {
  return code_.At(frame.position()).opcode != RETURN_VALUE;
}

bool HasTraps(const PyCodeObject* code) {
  return std::any_of(LiveTraps().begin(), LiveTraps().end(),
                     [code](const LoopTraps* traps) { return traps->code() == code; });
}

void ClearTrapsOf(PyObject* code) {
  for (LoopTraps* traps : LiveTraps()) {
    if (reinterpret_cast<PyObject*>(traps->code()) == code) traps->Clear();
  }
}

void ClearAllTraps() {
  for (LoopTraps* traps : LiveTraps()) traps->Clear();
}

}  // namespace dynacc
