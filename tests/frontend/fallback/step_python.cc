// step_python: a python3 whose frames run by StepInstruction as far as it goes, then in CPython.
//
// CPython's own tests, run by it, compare the step interpreter, the evaluator hook and the handing
// over of frames with stock behaviour. Options are environment variables, so that the command line
// is python3's and child processes inherit them:
//   DYNACC_STEP_LIMIT=K    a frame is given to CPython after K steps (default: never)
//   DYNACC_STEP_BODIES=1   module and class bodies are stepped too
//   DYNACC_STEP_BUDGET=1   the hook is not forced on, but follows its budget
//   DYNACC_STEP_NONE=1     nothing is stepped: every frame passes through the hook
//   DYNACC_STEP_STATS=1    prints the numbers of frames and steps to stderr at the end
#include <Python.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "frontend/capture/eval_hook.h"
#include "frontend/capture/hook_budget.h"
#include "frontend/capture/hook_switch.h"
#include "frontend/cpython/interpreter_frame.h"
#include "frontend/fallback/step_interpreter.h"
#include "frontend/fallback/unwind.h"

namespace dynacc::fallback {
namespace {

long Option(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

class Stepper : public capture::FrameHandler {
 public:
  bool TakesBodies() const override { return bodies_; }

  bool Handle(frame::FrameView& frame, cache::CodeRecord& record, PyObject** result) override {
    if (none_) return false;
    const std::shared_ptr<const bytecode::DecodedCode> code =
        cache::DecodedOf(frame.code(), record);
    ++frames_;
    frame.Link();
    int offset = 0;
    Ref returned;
    const StepOutcome outcome = StepOn(frame, *code, &offset, &returned);
    frame.Unlink();
    capture::TheHookBudget().Earn(capture::kEntryGain * capture::kSavingOfEntryUnit);
    if (outcome == StepOutcome::kReturned) {
      ++completed_;
      *result = returned.Release();
    } else if (outcome == StepOutcome::kReraised) {
      *result = nullptr;
    } else if (outcome == StepOutcome::kRaised) {
      *result = frame.ResumeWithError(frame.position());
    } else {
      *result = frame.Resume(offset);
    }
    return true;
  }

  void PrintStats() const {
    std::fprintf(stderr, "step_python: %ld frames, %ld of them completed, %ld steps\n", frames_,
                 completed_, steps_);
  }

 private:
  // kNext: the limit is reached, or a tracing tool has been set, which is CPython's business.
  StepOutcome StepOn(frame::FrameView& frame, const bytecode::DecodedCode& code, int* offset,
                     Ref* returned) {
    for (long left = limit_; left != 0 && !IsTracing(frame.thread()); --left) {
      int next = *offset;
      const StepOutcome outcome = StepInstruction(frame, code, *offset, &next, returned);
      if (outcome == StepOutcome::kInterrupted) {
        if (UnwindFromJump(frame, code, next, offset)) continue;
        return StepOutcome::kReraised;
      }
      const bool again = outcome == StepOutcome::kReraised;
      if (again || (outcome == StepOutcome::kRaised && !IsTracing(frame.thread()))) {
        const int unit = again ? code.At(*offset).offset : frame.position();
        if (UnwindToHandler(frame, code, unit, outcome, offset)) continue;
        return StepOutcome::kReraised;
      }
      if (outcome != StepOutcome::kNext) return outcome;
      ++steps_;
      *offset = next;
    }
    return StepOutcome::kNext;
  }

  const long limit_ = Option("DYNACC_STEP_LIMIT") > 0 ? Option("DYNACC_STEP_LIMIT") : -1;
  const bool none_ = Option("DYNACC_STEP_NONE") != 0;
  const bool bodies_ = Option("DYNACC_STEP_BODIES") != 0;
  long frames_ = 0;
  long completed_ = 0;
  long steps_ = 0;
};

Stepper* g_stepper = nullptr;

bool Initialize(int argc, char** argv) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  PyStatus status = PyConfig_SetBytesArgv(&config, argc, argv);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) Py_ExitStatusException(status);
  g_stepper = new Stepper;
  return capture::InstallEvaluator(*g_stepper).ok();
}

}  // namespace
}  // namespace dynacc::fallback

int main(int argc, char** argv) {
  if (!dynacc::fallback::Initialize(argc, argv)) return 125;
  if (dynacc::fallback::Option("DYNACC_STEP_BUDGET") == 0)
    new dynacc::capture::ForceOn;  // for good
  const int exit_status = Py_RunMain();
  if (dynacc::fallback::Option("DYNACC_STEP_STATS") != 0) dynacc::fallback::g_stepper->PrintStats();
  return exit_status;
}
