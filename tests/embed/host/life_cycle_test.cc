// Starting, ending and starting again; what the host keeps; forks.
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/embed/host/host_test.h"

extern char** environ;

namespace dynacc {
namespace {

using testing::HasSubstr;

constexpr char kModel[] =
    "import numpy as np\n"
    "def f(a):\n  x = a\n  for i in range(4): x = np.sqrt(x * x + 1.0) - 1.0\n  return x\n";

class LifeCycleTest : public HostTest {
 protected:
  void SetUp() override {}
  static std::unique_ptr<Runtime> Start(const RuntimeOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<Runtime>> runtime = Runtime::Start(options);
    EXPECT_TRUE(runtime.ok()) << runtime.status();
    return runtime.ok() ? *std::move(runtime) : nullptr;
  }
};

TEST_F(LifeCycleTest, AThousandTimes) {
  const std::string path = FileOf(kModel);
  const std::vector<double> ones(64, 1.0);
  for (int i = 0; i < 1000; ++i) {
    const std::unique_ptr<Runtime> runtime = Start();
    ASSERT_NE(runtime, nullptr) << i;
    const Function f = *runtime->LoadFile(path)->Get("f");
    ASSERT_TRUE(f.Call({TensorView::Of(ones.data(), {64})}).ok()) << i;
  }
}

TEST_F(LifeCycleTest, ASecondRuntimeIsRefused) {
  const std::unique_ptr<Runtime> runtime = Start();
  const absl::Status status = Runtime::Start({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has a dynacc::Runtime already"));
}

TEST_F(LifeCycleTest, HandlesOutliveTheRuntimeButDoNotWork) {
  std::unique_ptr<Runtime> runtime = Start();
  const Module module = *runtime->LoadFile(FileOf(kModel));
  const Function f = *module.Get("f");
  const std::vector<double> ones(64, 1.0);
  const Tensor tensor = f.Call({TensorView::Of(ones.data(), {64})})->tensor();
  runtime.reset();
  EXPECT_EQ(f.Call({}).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(module.Get("f").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_GT(static_cast<const double*>(tensor.data())[0], 0);
}

TEST_F(LifeCycleTest, TheEndRunsWhatPythonPromised) {
  const std::string folder = std::filesystem::path(FileOf("")).parent_path();
  std::unique_ptr<Runtime> runtime = Start();
  const absl::StatusOr<Module> module = runtime->LoadFile(
      FileOf("import atexit, threading, time\n"
             "def f(path):\n"
             "  def late(): time.sleep(0.1); open(path + '/thread', 'w').close()\n"
             "  threading.Thread(target=late).start()\n"
             "  threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\n"
             "  atexit.register(lambda: open(path + '/atexit', 'w').close())\n"));
  ASSERT_TRUE(module->Get("f")->Call({folder}).ok());
  runtime.reset();
  EXPECT_TRUE(std::filesystem::exists(folder + "/thread"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/atexit"));
}

// The old module goes with its weights, although entries were made for its functions.
TEST_F(LifeCycleTest, AModuleThatIsLoadedAnewReplacesTheOldOne) {
  const std::unique_ptr<Runtime> runtime = Start();
  const std::string path = FileOf(
      "import dynacc\nimport numpy as np\ndef scaled(a): return np.sqrt(a) * w\n"
      "@dynacc.compile\ndef f(a): return scaled(a) + 1.0\n");
  const std::vector<double> fours(64, 4.0);
  int released = 0;
  for (int version = 0; version < 4; ++version) {
    const Module module = *runtime->LoadFile(path);
    EXPECT_EQ(released, version);
    auto weights = std::make_shared<std::vector<double>>(64, version);
    const TensorView view = TensorView::Of(weights->data(), {64});
    ASSERT_TRUE(module.Set("w", Tensor::Adopt(view, [weights, &released] { ++released; })).ok());
    for (int i = 0; i < 5; ++i) {
      const absl::StatusOr<Value> result =
          module.Get("f")->Call({TensorView::Of(fours.data(), {64})});
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(static_cast<const double*>(result->tensor().data())[63], 2.0 * version + 1.0);
    }
  }
}

TEST_F(LifeCycleTest, TheEndWaitsForCalls) {
  std::unique_ptr<Runtime> runtime = Start();
  const Module module =
      *runtime->LoadFile(FileOf("import time\ndef f(done):\n  time.sleep(0.2)\n  done()\n"));
  std::atomic<bool> ended = false;
  const Function done = *runtime->MakeFunction("done", [&ended](const List&, const Dict&) {
    ended = true;
    return absl::StatusOr<Value>(Value());
  });
  std::thread caller([&] { EXPECT_TRUE(module.Get("f")->Call({done}).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  runtime.reset();
  EXPECT_TRUE(ended);
  caller.join();
}

// Threads that compute while the session ends, and then while the next one runs and ends.
TEST_F(LifeCycleTest, DaemonThreadsMayGoOnComputing) {
  const std::string path = FileOf(
      "import threading\nimport numpy as np\n"
      "def g(a):\n  for i in range(4): a = np.sqrt(a * a + 1.0) - 1.0\n  return a\n"
      "def forever(n):\n  a = np.ones(n)\n  while True: g(a)\n"
      "def f():\n  for n in (10, 100000):\n"
      "    threading.Thread(target=forever, args=(n,), daemon=True).start()\n"
      "  return float(g(np.ones(3)).sum())\n");
  RuntimeOptions options;
  options.policy = "always";
  for (int i = 0; i < 3; ++i) {
    const std::unique_ptr<Runtime> runtime = Start(options);
    const Function f = *runtime->LoadFile(path)->Get("f");
    const absl::StatusOr<Value> sum = f.Call({});
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_GT(sum->As<double>(), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

TEST_F(LifeCycleTest, OfRuntimesStartedAtOnceThereIsOne) {
  std::vector<std::unique_ptr<Runtime>> runtimes(4);
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  for (std::unique_ptr<Runtime>& runtime : runtimes) {
    threads.emplace_back([&] {
      absl::StatusOr<std::unique_ptr<Runtime>> started = Runtime::Start({});
      if (started.ok()) {
        runtime = *std::move(started);
      } else if (started.status().code() == absl::StatusCode::kFailedPrecondition) {
        ++refused;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 3);
}

// On other threads than the one that started it, each thread new.
TEST_F(LifeCycleTest, AnyThreadMayStartCallAndEnd) {
  const std::string path = FileOf(kModel);
  const std::vector<double> ones(64, 1.0);
  std::unique_ptr<Runtime> runtime;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] { runtime = Start(); }).join();
    std::thread([&] {
      const Function f = *runtime->LoadFile(path)->Get("f");
      EXPECT_TRUE(f.Call({TensorView::Of(ones.data(), {64})}).ok());
    }).join();
    std::thread([&] { runtime.reset(); }).join();
  }
}

TEST_F(LifeCycleTest, WrongOptionsAreNamed) {
  const auto error = [](auto change) {
    RuntimeOptions options;
    change(options);
    return Runtime::Start(options).status().ToString();
  };
  EXPECT_THAT(error([](auto& o) { o.policy = "often"; }), HasSubstr("INVALID_ARGUMENT: policy"));
  EXPECT_THAT(error([](auto& o) { o.target = "abacus"; }), HasSubstr("INVALID_ARGUMENT: target"));
  EXPECT_THAT(error([](auto& o) { o.threads = -1; }), HasSubstr("INVALID_ARGUMENT: threads"));
  EXPECT_THAT(error([](auto& o) { o.home = "/no/home"; }), HasSubstr("NOT_FOUND: home: /no/home"));
  EXPECT_THAT(error([](auto& o) { o.venv = "/no/venv"; }), HasSubstr("NOT_FOUND: venv: /no/venv"));
  const std::unique_ptr<Runtime> first = Start();
  ASSERT_NE(first, nullptr);
}

TEST_F(LifeCycleTest, WhatTheInterpreterWasStartedWithStays) {
  Start().reset();
  RuntimeOptions options;
  options.isolated = true;
  EXPECT_EQ(Runtime::Start(options).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LifeCycleTest, PathsAndArgumentsAreThoseOfTheSession) {
  RuntimeOptions options;
  options.search_paths = {"/first", "/second"};
  options.arguments = {"server", "--fast"};
  const std::string path = FileOf("import sys\ndef f(): return sys.argv, sys.path[:2]\n");
  {
    const std::unique_ptr<Runtime> runtime = Start(options);
    const List result = runtime->LoadFile(path)->Get("f")->Call({})->As<List>();
    EXPECT_EQ(result[0].As<List>()[1].As<std::string>(), "--fast");
    EXPECT_EQ(result[1].As<List>()[1].As<std::string>(), "/second");
  }
  const std::unique_ptr<Runtime> runtime = Start();
  const List result = runtime->LoadFile(path)->Get("f")->Call({})->As<List>();
  EXPECT_EQ(result[0].As<List>()[0].As<std::string>(), "");
  EXPECT_NE(result[1].As<List>()[0].As<std::string>(), "/first");
}

TEST_F(LifeCycleTest, LogsGoToTheSink) {
  std::string lines;
  RuntimeOptions options;
  options.logs = "graph,breaks";
  options.policy = "always";
  options.log_sink = [&lines](absl::string_view line) { lines += std::string(line) + "\n"; };
  const std::vector<double> ones(64, 1.0);
  {
    const std::unique_ptr<Runtime> runtime = Start(options);
    const Function f = *runtime->LoadFile(FileOf(kModel))->Get("f");
    ASSERT_TRUE(f.Call({TensorView::Of(ones.data(), {64})}).ok());
    EXPECT_GT(Runtime::Stats().at("segments_compiled"), 0u);
  }
  EXPECT_THAT(lines, HasSubstr("sqrt"));
}

TEST_F(LifeCycleTest, AVariableThatIsSetWinsOverAnOption) {
  int lines = 0;
  RuntimeOptions options;
  options.logs = "graph";
  options.policy = "always";
  options.log_sink = [&lines](absl::string_view) { ++lines; };
  const std::vector<double> ones(64, 1.0);
  setenv("DYNACC_LOGS", "", 1);
  {
    const std::unique_ptr<Runtime> runtime = Start(options);
    const Function f = *runtime->LoadFile(FileOf(kModel))->Get("f");
    ASSERT_TRUE(f.Call({TensorView::Of(ones.data(), {64})}).ok());
  }
  unsetenv("DYNACC_LOGS");
  EXPECT_EQ(lines, 0);
}

TEST_F(LifeCycleTest, PathsThatTheProgramPutInStay) {
  RuntimeOptions options;
  options.search_paths = {"/ours"};
  const std::string path =
      FileOf("import sys\ndef f(): sys.path.insert(0, '/theirs')\ndef g(): return sys.path\n");
  {
    const std::unique_ptr<Runtime> runtime = Start(options);
    ASSERT_TRUE(runtime->LoadFile(path)->Get("f")->Call({}).ok());
  }
  const std::unique_ptr<Runtime> runtime = Start();
  const absl::StatusOr<Value> entries = runtime->LoadFile(path)->Get("g")->Call({});
  ASSERT_TRUE(entries.ok()) << entries.status();
  std::string joined;
  for (const Value& entry : entries->As<List>()) {
    absl::StrAppend(&joined, entry.As<std::string>(), ":");
  }
  EXPECT_THAT(joined, HasSubstr("/theirs:"));
  EXPECT_THAT(joined, testing::Not(HasSubstr("/ours:")));
}

// What a process has for itself, as text: a line for each thing.
std::string ProcessState() {
  std::string state;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    absl::StrAppend(&state, "signal ", signal, ": ",
                    reinterpret_cast<uintptr_t>(action.sa_sigaction), " ", action.sa_flags, "\n");
  }
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&blocked, signal) == 1) absl::StrAppend(&state, "blocked: ", signal, "\n");
  }
  for (const int category : {LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MESSAGES}) {
    absl::StrAppend(&state, "locale: ", setlocale(category, nullptr), "\n");
  }
  for (char** row = environ; *row != nullptr; ++row) absl::StrAppend(&state, *row, "\n");
  for (FILE* stream : {stdin, stdout, stderr}) {
    const int file = fileno(stream);
    absl::StrAppend(&state, "stream ", file, ": ", fcntl(file, F_GETFL), " ", fcntl(file, F_GETFD),
                    " ", __fbufsize(stream), " ", __flbf(stream), "\n");
  }
  absl::StrAppend(&state, "folder: ", std::filesystem::current_path().string(), "\n");
  absl::StrAppend(&state, "rounding: ", fegetround(), ", traps: ", fegetexcept(), "\n");
  const mode_t mask = umask(0);
  umask(mask);
  return absl::StrCat(state, "umask: ", mask, "\n");
}

// A host that has its own mind about all of it.
TEST_F(LifeCycleTest, TheHostsProcessIsLeftAlone) {
  const auto handler = [](int) {};
  for (const int signal : {SIGINT, SIGUSR1, SIGXFSZ}) std::signal(signal, handler);
  setvbuf(stdout, nullptr, _IOFBF, 12345);
  const std::string before = ProcessState();
  {
    const std::unique_ptr<Runtime> runtime = Start();
    ASSERT_TRUE(runtime->ImportModule("numpy").ok());
    const Function f = *runtime->LoadFile(FileOf(kModel))->Get("f");
    const std::vector<double> ones(64, 1.0);
    ASSERT_TRUE(f.Call({TensorView::Of(ones.data(), {64})}).ok());
    EXPECT_EQ(ProcessState(), before);
  }
  EXPECT_EQ(ProcessState(), before);
}

TEST_F(LifeCycleTest, AForkedChildGetsAnError) {
  const std::unique_ptr<Runtime> runtime = Start();
  const Function f = *runtime->LoadFile(FileOf("def f(): return 1\n"))->Get("f");
  const pid_t child = fork();
  if (child == 0) {
    const bool refused =
        f.Call({}).status().code() == absl::StatusCode::kFailedPrecondition &&
        Runtime::Start({}).status().code() == absl::StatusCode::kFailedPrecondition;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(f.Call({}).ok());
}

// A child of Python's own os.fork is inside the call that made it: there it may go on.
TEST_F(LifeCycleTest, PythonsForkGoesOn) {
  const std::unique_ptr<Runtime> runtime = Start();
  const Function f =
      *runtime
           ->LoadFile(FileOf("import os\nimport numpy as np\n"
                             "def g(a): return float((np.sqrt(a * a + 1.0) - a).sum())\n"
                             "def f():\n"
                             "  a = np.linspace(0.0, 1.0, 200000)\n"
                             "  sums = {g(a) for i in range(20)}\n"
                             "  child = os.fork()\n"
                             "  if child == 0:\n"
                             "    os._exit(0 if {g(a) for i in range(20)} == sums else 1)\n"
                             "  return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"))
           ->Get("f");
  const absl::StatusOr<Value> status = f.Call({});
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->As<int64_t>(), 0);
}

// Forks while other threads are anywhere in a call: the child must get its error, and not wait for
// a lock that no thread of it holds.
TEST_F(LifeCycleTest, ForksDuringCalls) {
  const std::unique_ptr<Runtime> runtime = Start();
  const Function f = *runtime->LoadFile(FileOf(kModel))->Get("f");
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      const std::vector<double> ones(20000, 1.0);
      while (!stop) EXPECT_TRUE(f.Call({TensorView::Of(ones.data(), {20000})}).ok());
    });
  }
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(f.Call({}).status().code() == absl::StatusCode::kFailedPrecondition ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace dynacc
