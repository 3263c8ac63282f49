#include "frontend/frame/body_runner.h"

#include <opcode.h>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/running_code.h"
#include "frontend/frame/frame_policy.h"
#include "frontend/frame/hook_switch.h"
#include "frontend/frame/segment_compiler.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"

namespace dynacc {
namespace {

// A loop that CPython got back this often in the middle (exceptions, reported floating-point
// flags) without having run as many compiled operations stays with it.
constexpr uint32_t kMaxHandBacks = 8;

const FunctionOptions kDefaults;

RunPolicy PolicyOf(bool every_loop) {
  RunPolicy policy;
  policy.visits_before_trace = every_loop ? 1 : 2;
  policy.any_size = every_loop;
  policy.may_give_up = !every_loop;
  return policy;
}

}  // namespace

BodyRunner::BodyRunner(FrameView& frame, std::shared_ptr<const DecodedCode> code, SegmentSet& set,
                       bool every_loop)
    : frame_(frame),
      code_(std::move(code)),
      set_(set),
      every_loop_(every_loop),
      loops_(FindLoops(*code_)),
      traps_(*code_) {}

bool BodyRunner::CanRun(const FrameView& frame) {
  BorrowedRef names = frame.frame_locals();
  return names != nullptr && names == frame.globals() && PyDict_CheckExact(names) &&
         frame.num_localsplus() == 0 && !TheHookSwitch().has_previous() &&
         !HasTraps(frame.code()) && !AnyFrameRuns(frame.code());
}

PyObject* BodyRunner::Run() {
  for (const Loop& loop : loops_) {
    if (!set_.LoopAt(loop.header).account.left_alone) ArmFirstLook(loop);
  }
  PyObject* result = frame_.Resume(0);
  while (PyErr_Occurred() == nullptr && traps_.Caught(frame_)) result = GoOn(frame_.position());
  return result;
}

PyObject* BodyRunner::GoOn(int offset) {
  frame_.UndoReturn();
  const Loop& loop = LoopTrappedAt(offset);
  Disarm(loop);
  SegmentSet::BodyLoop& record = set_.LoopAt(loop.header);
  const int start = code_->At(offset).start;
  if (record.account.left_alone || IsTracing(frame_.thread()) || !IsNear(loop)) {
    return frame_.Resume(start);
  }
  return RunLoop(loop, record, start);
}

PyObject* BodyRunner::RunLoop(const Loop& loop, SegmentSet::BodyLoop& record, int start) {
  if (LogEnabled(LogTopic::kPolicy)) {
    Log(LogTopic::kPolicy, absl::StrCat(CodeLabel(code_->code(), code_->At(loop.header).line),
                                        ": the loop runs by segments"));
  }
  Count(ProcessStats().frames_captured);
  SegmentRunner runner(frame_, code_, set_, record.account, *LoadedArrayNamespace(), kDefaults,
                       PolicyOf(every_loop_));
  return HandBack(loop, record, runner.RunLoop(start, loop));
}

PyObject* BodyRunner::HandBack(const Loop& loop, SegmentSet::BodyLoop& record, LoopEnd end) {
  if (end.kind == LoopEnd::Kind::kReturned) return end.value.Release();
  if (end.kind == LoopEnd::Kind::kLeaves) return nullptr;
  if (end.kind != LoopEnd::Kind::kLeft) {
    Count(ProcessStats().deopts);
    ++record.handed_back;
    if (!every_loop_ && record.handed_back > kMaxHandBacks &&
        record.account.operations_run < record.handed_back) {
      record.account.left_alone = true;
    }
  }
  // At the header itself the trap would come at once, and with nothing done between.
  if (!record.account.left_alone && !IsTracing(frame_.thread())) {
    if (end.offset == loop.header) {
      ArmFirstLook(loop);
    } else {
      traps_.Arm(HeaderUnit(loop));
    }
  }
  if (end.kind == LoopEnd::Kind::kRaised) return frame_.ResumeWithError(frame_.position());
  return frame_.Resume(end.offset);
}

// Loops have different headers and back edges, but an inner loop's header may be the first
// instruction of the outer one, and then is its header too.
const Loop& BodyRunner::LoopTrappedAt(int offset) const {
  for (const Loop& loop : loops_) {
    if (HeaderUnit(loop) == offset) return loop;
    for (const int edge : loop.plain_back_edges) {
      if (edge == offset) return loop;
    }
  }
  return loops_.front();  // not reached: every trap is one of these
}

// A loop whose test is at its end jumps back by a conditional jump, which cannot be trapped.
void BodyRunner::ArmFirstLook(const Loop& loop) {
  for (const int edge : loop.plain_back_edges) traps_.Arm(edge);
  if (loop.plain_back_edges.empty()) traps_.Arm(HeaderUnit(loop));
}

void BodyRunner::Disarm(const Loop& loop) {
  traps_.Disarm(HeaderUnit(loop));
  for (const int edge : loop.plain_back_edges) traps_.Disarm(edge);
}

bool BodyRunner::IsNear(const Loop& loop) const {
  const ArrayNamespace* arrays = LoadedArrayNamespace();
  if (arrays == nullptr || every_loop_) return arrays != nullptr;
  for (const Instruction& at : code_->instructions()) {
    if (!loop.Contains(at.offset) || at.opcode != LOAD_NAME) continue;
    BorrowedRef name = PyTuple_GET_ITEM(code_->code()->co_names, at.arg);
    if (IsNearArrays(DictGetStr(frame_.globals(), name), *arrays)) return true;
  }
  return false;
}

}  // namespace dynacc
