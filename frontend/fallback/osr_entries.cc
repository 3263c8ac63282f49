#include "frontend/fallback/osr_entries.h"

#include <algorithm>
#include <cstring>

#include "frontend/cpython/audit.h"
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
  armed_.push_back({offset, 0});
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
  holders_ = Py_REFCNT(executed_);
}

void OsrEntries::Wake(bool traced) {
  if (traced || Py_REFCNT(executed_) > holders_) {
    armed_.clear();
    cleared_ = true;
  }
  for (Trap& trap : armed_) Set(trap);
}

std::vector<OsrEntries::Trap>::iterator OsrEntries::Find(int offset) {
  return std::find_if(armed_.begin(), armed_.end(),
                      [offset](const Trap& armed) { return armed.offset == offset; });
}

void OsrEntries::Set(Trap& trap) {
  trap.opcode = ExecutedOpcode(executed_, trap.offset);
  SetExecutedOpcode(executed_, trap.offset, kTrapOpcode);
}

void OsrEntries::Unset(const Trap& trap) { SetExecutedOpcode(executed_, trap.offset, trap.opcode); }

// By the code as it was written: where a trap is a return, the frame's own is one, too.
bool OsrEntries::Caught(const frame::FrameView& frame) const {
  return !frame.is_gone() && code_.At(frame.position()).opcode != RETURN_VALUE;
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
