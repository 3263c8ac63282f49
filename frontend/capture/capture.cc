#include "frontend/capture/capture.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "codegen/compile/compile_queue.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/compilation.h"
#include "frontend/capture/array_libraries.h"
#include "frontend/capture/direct_call.h"
#include "frontend/capture/eval_hook.h"
#include "frontend/capture/explanation.h"
#include "frontend/capture/frame_policy.h"
#include "frontend/capture/hook_budget.h"
#include "frontend/capture/hook_switch.h"
#include "frontend/capture/osr_frame.h"
#include "frontend/capture/python_backend.h"
#include "frontend/capture/report.h"
#include "frontend/capture/segment_runner.h"
#include "frontend/capture/stance.h"
#include "frontend/cpython/audit.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/cpython/trace_malloc.h"
#include "nlohmann/json.hpp"
#include "runtime/base/clock.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/platform/stack_room.h"

namespace dynacc::capture {
namespace {

// Whether the frame is of the program's own code: a script's, -c's, -m's, the prompt's.
bool IsMainBody(const frame::FrameView& frame) {
  static PyObject* const key = PyUnicode_InternFromString("__name__");
  BorrowedRef name = DictGetStr(frame.globals(), key);
  return name != nullptr && PyUnicode_Check(name) &&
         PyUnicode_CompareWithASCIIString(name, "__main__") == 0;
}

// Runs what is left of a function's frame. A new reference, or null with an exception set.
PyObject* FinishFrame(frame::FrameView& frame, std::shared_ptr<const bytecode::DecodedCode> code,
                      cache::SegmentSet& set, RunEnd end) {
  switch (end.kind) {
    case RunEnd::Kind::kReturned:
      return end.value.Release();
    case RunEnd::Kind::kLeaves:
      return nullptr;
    case RunEnd::Kind::kRaised:
      return frame.ResumeWithError(frame.position());
    case RunEnd::Kind::kTooLittle:
    case RunEnd::Kind::kGaveUp:
    case RunEnd::Kind::kLeft:
      break;
  }
  if (IsTracing(frame.thread()) || !code->HasLoop()) return frame.Resume(end.offset);
  OsrFrame rest(frame, std::move(code), set, false);
  if (end.kind == RunEnd::Kind::kTooLittle) rest.LeaveLoopAlone(end.offset);
  return rest.Run(end.offset);
}

// Tracing and compiling in the call take this much of the thread's stack at most. Threads with less
// (threading.stack_size) are CPython's.
constexpr size_t kLeastStack = size_t{128} << 10;

// What a step takes beside CPython's loop in a frame that is the first of its code, about, with
// what is made for it (which places are live, records of segments).
constexpr int64_t kFirstStepNanoseconds = 100;

class CaptureHandler : public FrameHandler {
 public:
  void SetPolicy(Policy policy) { policy_ = policy; }
  Policy policy() const { return policy_; }

  bool TakesBodies() const override { return true; }
  // A loop that has not been looked at, or one of a function that is worth its segments.
  bool AwaitsCall(const frame::FrameView& frame) const override {
    arrays::ArrayNamespace* arrays = arrays::LoadedArrayNamespace();
    if (policy_ != Policy::kHot || arrays == nullptr) return false;
    cache::CodeRecord* record = cache::GetCodeRecord(frame.code());
    if (record == nullptr) {
      PyErr_Clear();
      return false;
    }
    if (record->mode != cache::FrameMode::kUndecided) return false;
    const cache::SegmentSet* const set = cache::FindSegments(*record, nullptr);
    if (set == nullptr ? record->calls > 0 : set->profile.unprofitable) return false;
    return HasArrayLibrary(frame.globals(), *arrays) && frame::MayLoop(frame.code());
  }

  // The hook rests from the start of the program's own body on, until there are arrays. They may
  // come first: `-m package.module` imports the package before the module's body starts.
  void AwaitMainBody() { awaits_main_body_ = true; }
  void AwaitNothing() { awaits_main_body_ = false; }

  bool Handle(frame::FrameView& frame, cache::CodeRecord& record, PyObject** result) override {
    Count(ThreadStats().frames_seen);
    cache::Compilation* const compilation = cache::CompilationOf(frame.raw());
    if (compilation != nullptr && compilation->options().disabled) return false;
    if (CurrentStance() == Stance::kForceEager) return false;
    const Ref owner = Ref::New(compilation == nullptr ? nullptr : compilation->owner());
    const cache::SegmentSet* const known = cache::FindSegments(record, compilation);
    const bool named = known != nullptr && known->named;
    // Who counts memory shall count CPython's and NumPy's, temporaries and all, not ours.
    if (MemoryIsTracked() && !named) return false;
    if (platform::StackLeft() < kLeastStack) return false;
    if (!frame.is_function()) return HandleBody(frame, record, result);
    if (record.mode == cache::FrameMode::kPlain && !named) return false;
    arrays::ArrayNamespace* arrays = arrays::LoadedArrayNamespace();
    if (arrays == nullptr) return false;
    cache::SegmentSet& set = cache::SegmentsOf(record, compilation);
    if (set.profile.unprofitable && !named) {
      if (!HasGrown(frame, set, *arrays) && !set.IsTimeToTryAgain()) {
        return RunLeftAlone(frame, record, set, result);
      }
      set.TryAgain();
    }
    if (set.profile.wait.IsOn() && !named) return HandleLoops(frame, record, set, result);
    // Not in a compilation: what a clock decides must not change results.
    const bool is_first = record.calls <= 1 && policy_ == Policy::kHot && compilation == nullptr;
    if (is_first && !cache::TheFirstLookBudget().Allows()) return false;
    const int64_t start = is_first ? ThreadNanoseconds() : 0;
    const FrameDecision decision = DecideFrame(policy_, frame, record, set, *arrays);
    if (is_first) cache::TheFirstLookBudget().Spend(ThreadNanoseconds() - start);
    if (decision.warms_up) {
      const cache::RunningScope running(set);
      set.profile.warm_up.Add(RunTimed(frame, running, result));
      return true;
    }
    if (!decision.capture) return false;
    std::shared_ptr<const bytecode::DecodedCode> code = cache::DecodedOf(frame.code(), record);
    SegmentRunner runner(frame, code, set, set.profile, *arrays, decision.run);
    RunEnd end = runner.RunFrame();
    if (is_first) cache::TheFirstLookBudget().Spend(runner.steps() * kFirstStepNanoseconds);
    if (set.profile.unprofitable)
      set.profile.unprofitable_elements = LargestArgument(frame, *arrays);
    *result = FinishFrame(frame, std::move(code), set, std::move(end));
    return true;
  }

 private:
  // CPython runs the frame; the nanoseconds that it takes.
  static int64_t RunTimed(frame::FrameView& frame, const cache::RunningScope&, PyObject** result) {
    TheHookBudget().Spend();
    const cache::WarmUpClock clock;
    *result =
        frame.RunBy([&] { return TheHookSwitch().RunPrevious(frame.thread(), frame.raw(), 0); });
    return clock.Elapsed();
  }

  // A function that brings too little as a whole.
  bool RunLeftAlone(frame::FrameView& frame, cache::CodeRecord& record, cache::SegmentSet& set,
                    PyObject** result) {
    if (!set.IsTimed()) return HandleLoops(frame, record, set, result);
    const cache::RunningScope running(set);
    const cache::WarmUpClock clock;
    if (!HandleLoops(frame, record, set, result)) RunTimed(frame, running, result);
    set.NoteTime(clock.Elapsed());
    return true;
  }

  // False: none of its loops has brought anything.
  bool HandleLoops(frame::FrameView& frame, cache::CodeRecord& record, cache::SegmentSet& set,
                   PyObject** result) {
    if (!set.HasGoodLoop()) return false;
    *result = OsrFrame(frame, cache::DecodedOf(frame.code(), record), set, false).Run(0);
    return true;
  }

  bool HandleBody(frame::FrameView& frame, cache::CodeRecord& record, PyObject** result) {
    if (awaits_main_body_ && IsMainBody(frame)) {
      awaits_main_body_ = false;
      TheHookSwitch().Park();
    }
    cache::SegmentSet& set = cache::SegmentsOf(record, nullptr);
    if (policy_ == Policy::kExplicit || set.no_loops || !OsrFrame::IsBody(frame)) return false;
    set.no_loops = !frame::MayLoop(frame.code());
    if (set.no_loops) return false;
    OsrFrame body(frame, cache::DecodedOf(frame.code(), record), set, policy_ == Policy::kAlways);
    *result = body.Run(0);
    return true;
  }

  Policy policy_ = Policy::kHot;
  bool awaits_main_body_ = false;
};

CaptureHandler& TheHandler() {
  static CaptureHandler& handler = *new CaptureHandler;
  return handler;
}

// The record of a Python function's code; null with an exception set, a TypeError if it is none.
cache::CodeRecord* RecordOf(PyObject* function) {
  if (!PyFunction_Check(function)) {
    PyErr_Format(PyExc_TypeError, "dynacc: expected a Python function, got %.100s",
                 Py_TYPE(function)->tp_name);
    return nullptr;
  }
  return cache::GetCodeRecord(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function)));
}

// Imports run with the hook off: importing a library is thousands of frames, none worth a look.
// importlib reaches every module through this one function.
void LeaveImportsAlone() {
  Ref importlib = Ref::Steal(PyImport_ImportModule("_frozen_importlib"));
  Ref function;
  if (importlib) function = Ref::Steal(PyObject_GetAttrString(importlib.get(), "_find_and_load"));
  cache::CodeRecord* record = function ? RecordOf(function.get()) : nullptr;
  if (record != nullptr) {
    record->mode = cache::FrameMode::kImport;
  } else {
    PyErr_Clear();
  }
}

// Switches the hook on for a program that has, or is about to have, arrays.
void StartLooking(Policy policy) {
  LeaveImportsAlone();
  TheHandler().AwaitNothing();
  TheHookBudget().Start();
  if (policy == Policy::kAlways) TheHookSwitch().AddForce(1);
  TheHookSwitch().Unpark();
}

// Sees each import statement before it is carried out.
void SeeImport(const char* event, PyObject* args) {
  if (std::strcmp(event, "import") != 0) return;
  BorrowedRef name = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (name == nullptr || !PyUnicode_Check(name) || !arrays::IsArrayLibraryName(name)) return;
  StopListening(SeeImport);
  if (EvaluatorInstalled()) StartLooking(TheHandler().policy());
}

// Says once, as a RuntimeWarning, that an array library is there but not one that can be captured;
// under fullgraph that is an error each time. False with an exception set.
bool AcceptMissingArrays(const cache::FunctionOptions& options) {
  const absl::Status status = arrays::CheckArrayLibraries();
  if (status.ok()) return true;
  const std::string text(status.message());
  if (options.fullgraph) {
    PyErr_Format(PyExc_RuntimeError, "dynacc.compile(fullgraph=True): %s", text.c_str());
    return false;
  }
  static bool warned = false;
  if (warned) return true;
  warned = true;
  return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "dynacc: %s: functions run as plain Python",
                          text.c_str()) == 0;
}

}  // namespace

absl::StatusOr<Policy> ParsePolicy(absl::string_view text) {
  if (text == "always") return Policy::kAlways;
  if (text == "hot") return Policy::kHot;
  if (text == "explicit") return Policy::kExplicit;
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is none of always, hot, explicit"));
}

absl::Status StartCapture(Policy policy, bool main_body_is_next) {
  RegisterArrayLibraries();
  TheHandler().SetPolicy(policy);
  OwnReport();
  DYNACC_RETURN_IF_ERROR(InstallEvaluator(TheHandler()), "installing the frame evaluator");
  if (policy == Policy::kExplicit) {
    TheHookSwitch().Park();  // CallCompiled switches the hook on
    return absl::OkStatus();
  }
  if (arrays::LoadedArrayNamespace() != nullptr) {
    StartLooking(policy);
    return absl::OkStatus();
  }
  // Nothing is to be found before the program imports an array library; but its own body must be
  // entered through the hook. In the middle of a program that has happened already.
  if (main_body_is_next) {
    LeaveImportsAlone();
    TheHandler().AwaitMainBody();
  } else {
    TheHookSwitch().Park();
  }
  ListenToAudit(SeeImport);
  return absl::OkStatus();
}

// Entries keep alive what their guards compare with, functions and with them their modules' names.
// Those must die when the interpreter clears its modules, so that their finalisers run.
void StopCapture() {
  StopListening(SeeImport);
  UninstallEvaluator();
  WriteReportOfProcess();
  compile::StopCompiling();
  // Daemon threads may be in the middle of captured loops, and nothing is traced any more.
  cache::DropAllSegments(cache::RunningFrames::kLeftAlone);
  SetProcessBackend({});
}

void ForgetCaptured() { cache::DropAllSegments(cache::RunningFrames::kTraceAnew); }

void ForgetCapturedOf(absl::string_view file) {
  cache::DroppedSegments dropped;
  cache::ForEachCodeRecord([&](cache::CodeRecord& record) {
    if (record.decoded == nullptr) return;  // nothing was made of it
    const char* const name = PyUnicode_AsUTF8(record.decoded->code()->co_filename);
    if (name == nullptr) PyErr_Clear();
    if (name == nullptr || file != name) return;
    record.ForEachSet(
        [&](cache::SegmentSetBase& set) { static_cast<cache::SegmentSet&>(set).Clear(dropped); });
  });
}

EntryCounts CountEntries(const cache::Compilation& compilation) {
  EntryCounts counts;
  compilation.ForEachSet([&](const cache::SegmentSet& set) {
    for (const std::unique_ptr<cache::Segment>& segment : set.all()) {
      counts.entries += segment->entries.size();
      for (const std::unique_ptr<cache::Entry>& entry : segment->entries)
        counts.hits += entry->statistics.hits;
    }
  });
  return counts;
}

PyObject* CallCompiled(PyObject* function, cache::Compilation& compilation, PyObject* const* args,
                       size_t nargsf, PyObject* kwnames) {
  PyObject* result = nullptr;
  if (CallDirectly(function, compilation, args, nargsf, kwnames, &result)) return result;
  if (CurrentStance() == Stance::kForceEager) return CallPlainly(function, args, nargsf, kwnames);
  if (arrays::LoadedArrayNamespace() == nullptr && !AcceptMissingArrays(compilation.options()))
    return nullptr;
  const cache::CompilationScope scope(&compilation);
  const Ref callee = Ref::New(function);
  cache::CodeRecord* const record = RecordOf(function);
  if (record == nullptr) return nullptr;
  cache::SegmentsOf(*record, &compilation).named = true;
  const ForceOn force;
  return PyObject_Vectorcall(function, args, nargsf, kwnames);
}

PyObject* CallPlainly(PyObject* function, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  // Where only compilations capture, and this is in none, there is nothing to switch off.
  const bool is_plain =
      TheHandler().policy() == Policy::kExplicit && cache::CompilationOf(nullptr) == nullptr;
  if (is_plain) return PyObject_Vectorcall(function, args, nargsf, kwnames);
  const cache::CompilationScope scope(cache::NoCapture());
  const ExtentOff off;
  return PyObject_Vectorcall(function, args, nargsf, kwnames);
}

PyObject* ExplainFunction(PyObject* function, cache::Compilation* compilation) {
  cache::CodeRecord* record = RecordOf(function);
  if (record == nullptr) return nullptr;
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  cache::DecodedOf(code, *record);
  return ObjectOfJson(ExplainCode(code, *record, cache::SegmentsOf(*record, compilation)));
}

}  // namespace dynacc::capture
