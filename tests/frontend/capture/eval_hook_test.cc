#include "frontend/capture/eval_hook.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/capture/hook_budget.h"
#include "frontend/capture/hook_switch.h"
#include "frontend/cpython/evaluator.h"
#include "runtime/base/clock.h"
#include "tests/frontend/interpreter_fixture.h"

namespace dynacc::capture {
namespace {

const auto* const kInterpreter = testing::AddGlobalTestEnvironment(new Interpreter);

// Notes the functions it is asked about, and runs them as the test says.
class Recorder : public FrameHandler {
 public:
  using Behaviour = std::function<bool(frame::FrameView&, cache::CodeRecord&, PyObject**)>;

  bool Handle(frame::FrameView& frame, cache::CodeRecord& record, PyObject** result) override {
    seen.push_back(PyUnicode_AsUTF8(frame.code()->co_name));
    return behaviour ? behaviour(frame, record, result) : false;
  }

  bool AwaitsCall(const frame::FrameView& frame) const override {
    return PyUnicode_CompareWithASCIIString(frame.code()->co_name, awaited.c_str()) == 0;
  }

  std::vector<std::string> seen;
  Behaviour behaviour;
  std::string awaited;  // the name of a function
};

class EvalHook : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(InstallEvaluator(recorder_).ok()); }
  void TearDown() override { UninstallEvaluator(); }

  // Calls globals[name]() and gives its result as a long; -1 and an exception set if it raises.
  static long Call(const Ref& globals, const char* name) {
    Ref result = Ref::Steal(PyObject_CallNoArgs(Get(globals, name)));
    return result ? PyLong_AsLong(result.get()) : -1;
  }

  Recorder recorder_;
};

using Names = std::vector<std::string>;

TEST_F(EvalHook, SeesFunctionsAndNothingElse) {
  Ref globals = Globals(
      "def f():\n  class C: pass\n  return sum(x for x in g())\n"
      "def g():\n  return (lambda: [0, 1, 2])()\n");
  EXPECT_EQ(Call(globals, "f"), 3);
  EXPECT_EQ(recorder_.seen, (Names{"f", "g", "<lambda>"}));
}

TEST_F(EvalHook, HandlerMayReturnAValueOrRaise) {
  Ref globals = Globals(
      "def f(): return 1\n"
      "def g():\n  try: return f()\n  except KeyError: return 9\n");
  recorder_.behaviour = [](frame::FrameView& frame, cache::CodeRecord&, PyObject** result) {
    if (PyUnicode_CompareWithASCIIString(frame.code()->co_name, "f") != 0) return false;
    *result = PyLong_FromLong(41);
    return true;
  };
  EXPECT_EQ(Call(globals, "g"), 41);
  recorder_.behaviour = [](frame::FrameView& frame, cache::CodeRecord&, PyObject**) {
    if (PyUnicode_CompareWithASCIIString(frame.code()->co_name, "f") != 0) return false;
    PyErr_SetString(PyExc_KeyError, "from the handler");
    return true;
  };
  EXPECT_EQ(Call(globals, "g"), 9);
}

TEST_F(EvalHook, PlainFramesHideWhatTheyCall) {
  Ref globals = Globals("def f(): return g()\ndef g(): return 1\n");
  recorder_.behaviour = [](frame::FrameView&, cache::CodeRecord& record, PyObject**) {
    record.mode = cache::FrameMode::kPlain;
    return false;
  };
  EXPECT_EQ(Call(globals, "f"), 1);
  EXPECT_EQ(recorder_.seen, Names{"f"});
  EXPECT_TRUE(TheHookSwitch().is_on());
  EXPECT_EQ(Call(globals, "f"), 1);  // not asked again
  EXPECT_EQ(recorder_.seen, Names{"f"});
}

TEST_F(EvalHook, BypassHidesEverything) {
  Ref globals = Globals("def f(): return 1\n");
  HookBypass bypass;
  EXPECT_EQ(Call(globals, "f"), 1);
  EXPECT_TRUE(recorder_.seen.empty());
}

TEST_F(EvalHook, NestsNoDeeperThanItsLimit) {
  Ref globals = Globals("def f(n=300): return n and 1 + f(n - 1)\n");
  EXPECT_EQ(Call(globals, "f"), 300);
  EXPECT_EQ(recorder_.seen.size(), static_cast<size_t>(kMaxHookedDepth));
  EXPECT_TRUE(TheHookSwitch().is_on());
}

TEST_F(EvalHook, RestsWhenItsBudgetIsSpentAndWakes) {
  const std::string calls = absl::StrCat(kFullBudget + 5000);
  Ref globals = Globals(
      absl::StrCat("def f():\n  for i in range(", calls, "): g()\n  return 0\ndef g(): pass\n")
          .c_str());
  EXPECT_EQ(Call(globals, "f"), 0);
  EXPECT_LE(recorder_.seen.size(), static_cast<size_t>(kFullBudget + 5));
  EXPECT_GE(recorder_.seen.size(), static_cast<size_t>(kFullBudget));
  EXPECT_TRUE(TheHookSwitch().resting());
  for (int i = 0; i < 5000 && TheHookSwitch().resting(); ++i) usleep(1000);
  EXPECT_TRUE(TheHookSwitch().is_on());
}

TEST_F(EvalHook, WhatSavesMuchKeepsItOnForLonger) {
  const std::string calls = absl::StrCat(kFullBudget + 5000);
  Ref globals = Globals(
      absl::StrCat("def f():\n  for i in range(", calls, "): g()\n  return 0\ndef g(): pass\n")
          .c_str());
  TheHookBudget().Earn(6000 * kSavingOfUnit);
  EXPECT_EQ(Call(globals, "f"), 0);
  EXPECT_EQ(recorder_.seen.size(), static_cast<size_t>(kFullBudget + 5001));
  EXPECT_TRUE(TheHookSwitch().is_on());
}

// Entries pay for the frames between them out of what they save.
TEST_F(EvalHook, WhatSavesLittlePaysForFewFrames) {
  const std::string calls = absl::StrCat(2 * kFullBudget);
  Ref globals = Globals(
      absl::StrCat("def f():\n  for i in range(", calls, "): g()\n  return 0\ndef g(): pass\n")
          .c_str());
  for (const int64_t saving : {int64_t{-5'000}, int64_t{0}, kSavingOfEntryUnit - 1}) {
    for (int i = 0; i < 5000 && TheHookSwitch().resting(); ++i) usleep(1000);
    TheHookBudget().Start();
    recorder_.behaviour = [saving](frame::FrameView&, cache::CodeRecord&, PyObject**) {
      TheHookBudget().Earn(saving);
      return false;
    };
    recorder_.seen.clear();
    EXPECT_EQ(Call(globals, "f"), 0);
    EXPECT_LE(recorder_.seen.size(), static_cast<size_t>(kFullBudget + 5)) << saving;
  }
}

// A rest in the middle of one long call would end in the middle of another.
TEST_F(EvalHook, TheNextOfLongCallsThatAreAwaitedIsSeen) {
  const std::string calls = absl::StrCat(kFullBudget);
  Ref globals = Globals(absl::StrCat("def small(): pass\ndef long():\n  for _ in range(", calls,
                                     "): small()\n  return 1\n")
                            .c_str());
  const auto calls_seen = [&] {
    recorder_.seen.clear();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Call(globals, "long"), 1);
    return std::count(recorder_.seen.begin(), recorder_.seen.end(), "long");
  };
  EXPECT_EQ(calls_seen(), 1);
  TearDown();
  SetUp();
  recorder_.awaited = "long";
  EXPECT_EQ(calls_seen(), 3);
}

TEST_F(EvalHook, ForceOnEndsNoRestButCallsAreSeen) {
  Ref globals = Globals("def f(): return 1\n");
  TheHookBudget().Rest(60'000);
  Call(globals, "f");
  EXPECT_TRUE(recorder_.seen.empty());
  {
    ForceOn force;
    Call(globals, "f");
    EXPECT_EQ(recorder_.seen, Names{"f"});
  }
  EXPECT_FALSE(TheHookSwitch().is_on());
}

TEST_F(EvalHook, ParkedItComesInByForceOnly) {
  Ref globals = Globals("def f(): return 1\n");
  TheHookSwitch().Park();
  TheHookSwitch().WakeFromRest();
  Call(globals, "f");
  EXPECT_TRUE(recorder_.seen.empty());
  {
    ForceOn force;
    Call(globals, "f");
  }
  Call(globals, "f");
  EXPECT_EQ(recorder_.seen, Names{"f"});
}

TEST_F(EvalHook, TracingSendsItToRest) {
  Ref globals = Globals(
      "import sys\n"
      "def f():\n  sys.settrace(lambda *ignored: None)\n  return g()\n"
      "def g(): return 1\n"
      "def stop(): sys.settrace(None)\n");
  Call(globals, "f");
  EXPECT_EQ(recorder_.seen, Names{"f"});
  EXPECT_FALSE(TheHookSwitch().is_on());
  Ref::Steal(PyObject_CallNoArgs(Get(globals, "stop")));
}

// The end of a rest comes on another thread, at any time.
TEST_F(EvalHook, IsParkedAndUnparkedWhileRestsEnd) {
  for (int i = 0; i < 20; ++i) {
    TheHookBudget().Rest(1);
    const int64_t start = NowNanoseconds();
    while (NowNanoseconds() - start < 2'000'000) {
      TheHookSwitch().Park();
      TheHookSwitch().Unpark();
    }
    EXPECT_TRUE(TheHookSwitch().is_on());
  }
}

TEST_F(EvalHook, InstallsOnce) {
  Recorder other;
  EXPECT_FALSE(InstallEvaluator(other).ok());
}

int g_passed_on = 0;
PyObject* CountingEvaluator(PyThreadState* thread, _PyInterpreterFrame* frame, int throwflag) {
  ++g_passed_on;
  return _PyEval_EvalFrameDefault(thread, frame, throwflag);
}

TEST(EvalHookChain, PassesFramesToThePreviousEvaluatorAndPutsItBack) {
  PyInterpreterState* interpreter = PyThreadState_Get()->interp;
  StoreEvaluator(interpreter, CountingEvaluator);
  Recorder recorder;
  ASSERT_TRUE(InstallEvaluator(recorder).ok());
  Ref globals = Globals("def f(): return 1\n");
  g_passed_on = 0;
  Ref result = Ref::Steal(PyObject_CallNoArgs(Get(globals, "f")));
  EXPECT_EQ(recorder.seen, Names{"f"});
  EXPECT_EQ(g_passed_on, 1);
  UninstallEvaluator();
  EXPECT_EQ(LoadEvaluator(interpreter), CountingEvaluator);
  StoreEvaluator(interpreter, nullptr);
}

class CountedSegments : public cache::SegmentSetBase {
 public:
  explicit CountedSegments(int& freed) : freed_(freed) {}
  ~CountedSegments() override { ++freed_; }

 private:
  int& freed_;
};

TEST(CodeRecord, DiesWithTheCode) {
  int freed = 0;
  {
    Ref globals = Globals("def f(): return 1\n");
    auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(Get(globals, "f")));
    EXPECT_EQ(cache::FindCodeRecord(code), nullptr);
    cache::CodeRecord* record = cache::GetCodeRecord(code);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(cache::GetCodeRecord(code), record);
    EXPECT_EQ(cache::FindCodeRecord(code), record);
    record->segments = std::make_unique<CountedSegments>(freed);
    EXPECT_FALSE(cache::DecodedOf(code, *record)->instructions().empty());
    EXPECT_EQ(freed, 0);
    PyDict_Clear(globals.get());
  }
  EXPECT_EQ(freed, 1);
}

}  // namespace
}  // namespace dynacc::capture
