#include "frontend/capture/osr_frame.h"

#include "absl/strings/str_cat.h"
#include "frontend/capture/frame_policy.h"
#include "frontend/capture/hook_switch.h"
#include "frontend/capture/segment_compiler.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/cpython/trace_malloc.h"
#include "frontend/frame/source_line.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"

namespace dynacc::capture {
namespace {

// A loop that CPython got back this often in the middle without having run as many compiled
// operations stays with it.
constexpr uint32_t kMaxHandBacks = 8;

RunPolicy PolicyOf(bool every_loop) {
  RunPolicy policy;
  policy.visits_before_trace = every_loop ? 1 : 2;
  policy.at_once = every_loop || cache::WarmUp::IsWaived();
  policy.any_size = every_loop;
  policy.may_give_up = !every_loop;
  return policy;
}

int CountTraps(const std::vector<frame::Loop>& loops) {
  size_t traps = loops.size();
  for (const frame::Loop& loop : loops) traps += loop.plain_back_edges.size();
  return static_cast<int>(traps);
}

}  // namespace

OsrFrame::OsrFrame(frame::FrameView& frame, std::shared_ptr<const bytecode::DecodedCode> code,
                   cache::SegmentSet& set, bool every_loop)
    : frame_(frame),
      code_(std::move(code)),
      set_(set),
      every_loop_(every_loop),
      loops_(frame::FindLoops(*code_)),
      original_(Ref::New(reinterpret_cast<PyObject*>(code_->code()))),
      copy_(fallback::CopyForTraps(*code_, CountTraps(loops_))),
      traps_(reinterpret_cast<PyCodeObject*>(copy_.get()), *code_) {}

bool OsrFrame::IsBody(const frame::FrameView& frame) {
  BorrowedRef names = frame.frame_locals();
  return names != nullptr && names == frame.globals() && PyDict_CheckExact(names) &&
         frame.code()->co_nfreevars == 0;
}

PyObject* OsrFrame::Run(int offset) {
  if (!copy_ || TheHookSwitch().has_previous()) return frame_.Resume(offset);
  for (const frame::Loop& loop : loops_) {
    if (!set_.LoopAt(loop.header).profile.unprofitable) ArmFirstLook(loop);
  }
  PyObject* result = Resume(offset);
  while (!returned_ && PyErr_Occurred() == nullptr && traps_.Caught(frame_)) {
    result = GoOn(traps_.Place(frame_));
  }
  return result;
}

void OsrFrame::LeaveLoopAlone(int offset) {
  const frame::Loop* innermost = nullptr;
  for (const frame::Loop& loop : loops_) {
    if (loop.Contains(offset)) innermost = &loop;
  }
  if (innermost != nullptr) set_.LoopAt(innermost->header).profile.unprofitable = true;
}

// A tool that was set meanwhile may have rewritten the code that it saw, and that is the original.
PyObject* OsrFrame::Resume(int offset, bool raised) {
  if (!IsTracing(frame_.thread())) frame_.ExchangeCode(copy_.get());
  PyObject* result = raised ? frame_.ResumeWithError(offset) : frame_.Resume(offset);
  if (!frame_.is_gone()) frame_.ExchangeCode(original_.get());
  return result;
}

PyObject* OsrFrame::GoOn(int offset) {
  frame_.UndoTrap(offset, code_->StackDepth(offset));
  const frame::Loop& loop = OsrEntryAt(offset);
  Disarm(loop);
  cache::SegmentSet::LoopRecord& record = set_.LoopAt(loop.header);
  const int start = code_->At(offset).start;
  if (record.profile.unprofitable || IsTracing(frame_.thread()) || MemoryIsTracked() ||
      !IsNear(loop)) {
    return Resume(start);
  }
  if (record.profile.wait.IsOn()) {
    record.profile.unprofitable = !record.profile.wait.AffordsRound();
    if (!record.profile.unprofitable) ArmNext(loop, start);
    return Resume(start);
  }
  return RunLoop(loop, record, start);
}

PyObject* OsrFrame::RunLoop(const frame::Loop& loop, cache::SegmentSet::LoopRecord& record,
                            int start) {
  if (LogEnabled(LogTopic::kPolicy)) {
    Log(LogTopic::kPolicy,
        absl::StrCat(frame::CodeLabel(code_->code(), code_->At(loop.header).line),
                     ": the loop runs by segments"));
  }
  Count(ThreadStats().frames_captured);
  SegmentRunner runner(frame_, code_, set_, record.profile, *arrays::LoadedArrayNamespace(),
                       PolicyOf(every_loop_));
  return HandBack(loop, record, runner.RunLoop(start, loop));
}

PyObject* OsrFrame::HandBack(const frame::Loop& loop, cache::SegmentSet::LoopRecord& record,
                             RunEnd end) {
  if (end.kind == RunEnd::Kind::kReturned) {
    returned_ = true;
    return end.value.Release();
  }
  if (end.kind == RunEnd::Kind::kLeaves) return nullptr;
  if (end.kind != RunEnd::Kind::kLeft && !record.profile.wait.IsOn()) {
    ++record.handed_back;
    if (!every_loop_ && record.handed_back > kMaxHandBacks &&
        record.profile.operations_run < record.handed_back) {
      record.profile.unprofitable = true;
    }
  }
  if (!record.profile.unprofitable && !IsTracing(frame_.thread())) ArmNext(loop, end.offset);
  const bool raised = end.kind == RunEnd::Kind::kRaised;
  return Resume(raised ? frame_.position() : end.offset, raised);
}

const frame::Loop& OsrFrame::OsrEntryAt(int offset) const {
  for (const frame::Loop& loop : loops_) {
    if (loop.trap == offset) return loop;
    for (const int edge : loop.plain_back_edges) {
      if (edge == offset) return loop;
    }
  }
  return loops_.front();  // not reached: every trap is one of these
}

// A loop whose test is at its end jumps back by a conditional jump, which cannot be trapped.
void OsrFrame::ArmFirstLook(const frame::Loop& loop) {
  for (const int edge : loop.plain_back_edges) traps_.Arm(edge);
  if (loop.plain_back_edges.empty()) ArmHeader(loop);
}

void OsrFrame::ArmHeader(const frame::Loop& loop) {
  if (loop.trap >= 0) traps_.Arm(loop.trap);
}

// At the header itself the trap would come at once, and with nothing done between.
void OsrFrame::ArmNext(const frame::Loop& loop, int offset) {
  if (offset == loop.header) {
    ArmFirstLook(loop);
  } else {
    ArmHeader(loop);
  }
}

void OsrFrame::Disarm(const frame::Loop& loop) {
  if (loop.trap >= 0) traps_.Disarm(loop.trap);
  for (const int edge : loop.plain_back_edges) traps_.Disarm(edge);
}

bool OsrFrame::IsNear(const frame::Loop& loop) const {
  const arrays::ArrayNamespace* arrays = arrays::LoadedArrayNamespace();
  if (arrays == nullptr || every_loop_) return arrays != nullptr;
  if (HasArrayLibrary(frame_.globals(), *arrays)) return true;
  for (const bytecode::Instruction& at : code_->instructions()) {
    if (!loop.Contains(at.offset)) continue;
    BorrowedRef value = ValueRead(at);
    if (IsNearArrays(value, *arrays) || AreManyBytes(value)) return true;
  }
  return false;
}

// The value of the variable that an instruction reads, if it does and has one.
BorrowedRef OsrFrame::ValueRead(const bytecode::Instruction& at) const {
  if (at.opcode == LOAD_FAST) return frame_.localsplus()[at.arg];
  if (at.opcode != LOAD_NAME && at.opcode != LOAD_GLOBAL) return nullptr;
  const int index = at.opcode == LOAD_GLOBAL ? at.arg >> 1 : at.arg;
  return DictGetStr(frame_.globals(), PyTuple_GET_ITEM(code_->code()->co_names, index));
}

}  // namespace dynacc::capture
