// Hosts that do unusual things, by the C++ and the C interface: ten thousand threads one after
// another, sessions that end while threads call, forks, and a file that changes twice within a
// second.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "dynacc/dynacc.h"
#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

constexpr char kModel[] =
    "import numpy as np\n"
    "def f(a):\n  x = a\n  for i in range(4): x = np.sqrt(x * x + 1.0) - 1.0\n  return x\n"
    "def one(): return 1\n";

// VmRSS.
int64_t ResidentKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stoll(line.substr(6));
  }
  return -1;
}

class OddHostTest : public HostTest {
 protected:
  // What Python is told by its first start: that it may keep bytecode. A kernel is compiled by the
  // call that asks for it: in the background Clang would take its 60 MB while a test measures.
  static void SetUpTestSuite() {
    unsetenv("PYTHONDONTWRITEBYTECODE");
    setenv("DYNACC_TIER_UP", "0", 1);
  }
  void SetUp() override {}
  static std::unique_ptr<Runtime> Start() {
    RuntimeOptions options;
    options.policy = "always";
    absl::StatusOr<std::unique_ptr<Runtime>> runtime = Runtime::Start(options);
    EXPECT_TRUE(runtime.ok()) << runtime.status();
    return runtime.ok() ? *std::move(runtime) : nullptr;
  }
};

// A thread state has a stack of 16 KB and more: 10,000 of them would be 160 MB.
TEST_F(OddHostTest, TenThousandThreadsLeaveNothing) {
  const std::unique_ptr<Runtime> runtime = Start();
  const Function f = *runtime->LoadFile(FileOf(kModel))->Get("f");
  const std::vector<double> ones(64, 1.0);
  std::atomic<int> succeeded = 0;
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) {
      std::thread([&] {
        if (f.Call({TensorView::Of(ones.data(), {64})}).ok()) ++succeeded;
      }).join();
    }
  };
  run(1000);
  const int64_t before = ResidentKilobytes();
  run(9000);
  EXPECT_EQ(succeeded, 10000);
  EXPECT_LT(ResidentKilobytes() - before, 2000);
}

// CPython's own list of thread states has the caller's, and perhaps the main thread's.
TEST_F(OddHostTest, ThreadStatesAreGivenBack) {
  const std::unique_ptr<Runtime> runtime = Start();
  const Module module = *runtime->LoadFile(FileOf(
      "import ctypes\nmost = 0\napi = ctypes.PyDLL(None)\n"
      "for name in ('PyInterpreterState_Get', 'PyInterpreterState_ThreadHead',\n"
      "             'PyThreadState_Next'):\n"
      "  getattr(api, name).restype = ctypes.c_void_p\n"
      "def f():\n  global most\n  count = 0\n"
      "  state = api.PyInterpreterState_ThreadHead(ctypes.c_void_p(api.PyInterpreterState_Get()))\n"
      "  while state:\n    count += 1\n"
      "    state = api.PyThreadState_Next(ctypes.c_void_p(state))\n"
      "  most = max(most, count)\n"));
  const Function f = *module.Get("f");
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      const absl::Status status = f.Call({}).status();
      EXPECT_TRUE(status.ok()) << status;
    }).join();
  }
  const int64_t most = module.GetValue("most")->As<int64_t>();
  EXPECT_GE(most, 1);
  EXPECT_LE(most, 2);
}

// Threads that go on calling while sessions end and begin get results or FAILED_PRECONDITION.
TEST_F(OddHostTest, SessionsEndWhileThreadsCall) {
  const std::string path = FileOf(kModel);
  const std::vector<double> ones(64, 1.0);
  int64_t before = 0;
  std::atomic<int> succeeded = 0;
  for (int session = 0; session < 40; ++session) {
    std::unique_ptr<Runtime> runtime = Start();
    ASSERT_NE(runtime, nullptr);
    const Function f = *runtime->LoadFile(path)->Get("f");
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (!stop) {
          const absl::Status status = f.Call({TensorView::Of(ones.data(), {64})}).status();
          if (status.ok()) {
            ++succeeded;
          } else {
            EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
          }
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    runtime.reset();
    stop = true;
    for (std::thread& thread : threads) thread.join();
    if (session == 9) before = ResidentKilobytes();
  }
  EXPECT_GT(succeeded, 40);
  EXPECT_LT(ResidentKilobytes() - before, 4000);
}

// Of the same length, and with the same time of change in whole seconds.
TEST_F(OddHostTest, AFileThatChangesWithinASecondIsReadAnew) {
  const std::unique_ptr<Runtime> runtime = Start();
  const std::string path = FileOf("");
  for (int version = 1; version <= 5; ++version) {
    std::ofstream(path) << "def f(): return " << version << "\n";
    EXPECT_EQ(runtime->LoadFile(path)->Get("f")->Call({})->As<int64_t>(), version);
  }
}

// What the C interface gave, or the text of its error.
std::string OneThroughC(dynacc_runtime* runtime, const std::string& path) {
  dynacc_module* module = nullptr;
  dynacc_function* function = nullptr;
  dynacc_value* result = nullptr;
  int64_t number = 0;
  dynacc_status* status = dynacc_load_file(runtime, path.c_str(), &module);
  if (status == nullptr) status = dynacc_module_get(module, "one", &function);
  if (status == nullptr) status = dynacc_function_call(function, nullptr, 0, nullptr, &result);
  if (status == nullptr) status = dynacc_value_get_int(result, &number);
  std::string text = status == nullptr ? std::to_string(number) : dynacc_status_message(status);
  dynacc_status_free(status);
  dynacc_value_free(result);
  dynacc_function_free(function);
  dynacc_module_free(module);
  return text;
}

TEST_F(OddHostTest, TheCInterfaceStartsAgainOnAnyThreadAndRefusesForks) {
  const std::string path = FileOf(kModel);
  for (int session = 0; session < 5; ++session) {
    dynacc_runtime* runtime = nullptr;
    std::thread([&] { EXPECT_EQ(dynacc_runtime_start(nullptr, &runtime), nullptr); }).join();
    ASSERT_NE(runtime, nullptr);
    dynacc_runtime* second = nullptr;
    dynacc_status* refused = dynacc_runtime_start(nullptr, &second);
    ASSERT_NE(refused, nullptr);
    EXPECT_EQ(dynacc_status_code(refused), DYNACC_FAILED_PRECONDITION);
    dynacc_status_free(refused);
    EXPECT_EQ(OneThroughC(runtime, path), "1");
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const bool is_refused = OneThroughC(runtime, path).find("fork") != std::string::npos;
      dynacc_status* again = dynacc_runtime_start(nullptr, &second);
      dynacc_runtime_free(runtime);  // the parent's session goes on
      _exit(is_refused && again != nullptr ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(OneThroughC(runtime, path), "1");
    std::thread([&] { dynacc_runtime_free(runtime); }).join();
  }
}

}  // namespace
}  // namespace dynacc
