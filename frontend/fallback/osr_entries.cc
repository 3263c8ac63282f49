#include "frontend/fallback/osr_entries.h"

#include <algorithm>
#include <cstring>

#include "frontend/cpython/audit.h"
#include "frontend/cpython/code_copy.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::fallback {
namespace {

// Those of all frames that are running with traps: a few.
std::vector<OsrEntries*>& LiveTraps() {
  static auto& traps = *new std::vector<OsrEntries*>;
  return traps;
}

int g_asleep = 0;  // TrapsAsleep

// The code that an event announces a run of outside its own frame: exec's and eval's argument, or
// what becomes a function's code. Null for other events.
PyObject* AnnouncedCode(const char* event, PyObject* args) {
  const bool named = std::strcmp(event, "exec") == 0 || std::strcmp(event, "function.__new__") == 0;
  const bool assigned = std::strcmp(event, "object.__setattr__") == 0;
  const Py_ssize_t place = assigned ? 2 : 0;
  return (named || assigned) && PyTuple_GET_SIZE(args) > place ? PyTuple_GET_ITEM(args, place)
                                                               : nullptr;
}

void ClearTrapsOf(PyObject* code) {
  for (OsrEntries* traps : LiveTraps()) {
    if (reinterpret_cast<PyObject*>(traps->executed()) == code) traps->Clear();
  }
}

// The event comes before the tracing function is set.
void WatchEvents(const char* event, PyObject* args) {
  const bool traces = std::strcmp(event, "sys.settrace") == 0 ||
                      std::strcmp(event, "sys.setprofile") == 0 ||
                      std::strcmp(event, "sys.monitoring.register_callback") == 0;
  if (traces) {
    for (OsrEntries* traps : LiveTraps()) traps->Clear();
  } else if (PyObject* code = AnnouncedCode(event, args)) {
    ClearTrapsOf(code);
  }
}

void ListenIfNeeded() {
  if (LiveTraps().empty() || g_asleep > 0) {
    StopListening(WatchEvents);
  } else {
    ListenToAudit(WatchEvents);
  }
}

}  // namespace

OsrEntries::OsrEntries(PyCodeObject* executed, const bytecode::DecodedCode& code)
    : executed_(executed), code_(code) {
  LiveTraps().push_back(this);
  if (g_asleep > 0) Sleep();
  ListenIfNeeded();
}

OsrEntries::~OsrEntries() {
  Clear();
  std::erase(LiveTraps(), this);
  ListenIfNeeded();
}

void OsrEntries::Arm(int offset) {
  if (cleared_ || Find(offset) != armed_.end()) return;
  armed_.push_back({offset, {}});
  if (g_asleep == 0) Set(armed_.back());
}

void OsrEntries::Disarm(int offset) {
  const auto trap = Find(offset);
  if (trap == armed_.end()) return;
  if (g_asleep == 0) Unset(*trap);
  armed_.erase(trap);
}

void OsrEntries::Clear() {
  if (g_asleep == 0) {
    for (const Trap& trap : armed_) Unset(trap);
  }
  armed_.clear();
  cleared_ = true;
}

void OsrEntries::Sleep() {
  for (const Trap& trap : armed_) Unset(trap);
  holders_ = executed_ == nullptr ? 0 : Py_REFCNT(executed_);
}

void OsrEntries::Wake(bool traced) {
  if (traced || (executed_ != nullptr && Py_REFCNT(executed_) > holders_)) {
    armed_.clear();
    cleared_ = true;
  }
  for (Trap& trap : armed_) Set(trap);
}

std::vector<OsrEntries::Trap>::iterator OsrEntries::Find(int offset) {
  return std::find_if(armed_.begin(), armed_.end(),
                      [offset](const Trap& armed) { return armed.offset == offset; });
}

// A trap of more than one unit takes the instruction's EXTENDED_ARGs, too.
int OsrEntries::FirstUnit(const Trap& trap) const {
  return kTrapUnits > 1 ? code_.At(trap.offset).start : trap.offset;
}

int OsrEntries::Pad(int offset) {
  auto found = std::find(pads_.begin(), pads_.end(), offset);
  if (found == pads_.end()) found = pads_.insert(found, offset);
  return code_.num_units() + kPadUnits * static_cast<int>(found - pads_.begin());
}

void OsrEntries::Set(Trap& trap) {
  const int first = FirstUnit(trap);
  trap.covered.clear();
  for (int i = 0; i < kTrapUnits; ++i) trap.covered.push_back(ExecutedUnit(executed_, first + i));
  SetTrap(executed_, first, Pad(trap.offset), code_.StackDepth(trap.offset));
}

void OsrEntries::Unset(const Trap& trap) {
  const int first = FirstUnit(trap);
  for (int i = 0; i < kTrapUnits; ++i) SetExecutedUnit(executed_, first + i, trap.covered[i]);
}

// By the code as it was written: where a trap is a return, the frame's own is one, too.
bool OsrEntries::Caught(const frame::FrameView& frame) const {
  return !frame.is_gone() && (frame.position() >= code_.num_units() ||
                              code_.At(frame.position()).opcode != RETURN_VALUE);
}

int OsrEntries::Place(const frame::FrameView& frame) const {
  const int in_pads = frame.position() - code_.num_units();
  return in_pads >= 0 ? pads_[in_pads / std::max(kPadUnits, 1)] : frame.position();
}

Ref CopyForTraps(const bytecode::DecodedCode& code, int traps) {
  const int room = traps * kPadUnits;
  if (room > 0 && code.num_units() + room > kFarthestPad) return Ref();
  Ref copy = CopyCode(code.code(), room);
  if (!copy) PyErr_Clear();
  return copy;
}

TrapsAsleep::TrapsAsleep() {
  if (g_asleep++ > 0) return;
  for (OsrEntries* traps : LiveTraps()) traps->Sleep();
  ListenIfNeeded();
}

TrapsAsleep::~TrapsAsleep() {
  if (--g_asleep > 0) return;
  const bool traced = AnyThreadIsTraced();
  for (OsrEntries* traps : LiveTraps()) traps->Wake(traced);
  ListenIfNeeded();
}

}  // namespace dynacc::fallback
