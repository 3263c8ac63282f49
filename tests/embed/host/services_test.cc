// What a server asks of a function and a runtime beside calls.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "dynacc/program.h"
#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ServicesTest : public HostTest {};

TEST_F(ServicesTest, ModulesFromText) {
  const absl::StatusOr<Module> module = runtime_->LoadSource(
      "scoring", "import sys\ndef f(x): return x / 0\ndef g(): return sys.modules[__name__].f\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status failed = module->Get("f")->Call({1}).status();
  const std::string traceback = PythonErrorOf(failed)->traceback;
  EXPECT_THAT(traceback, HasSubstr("File \"<scoring>\", line 2, in f\n    def f(x): return x / 0"));
  EXPECT_TRUE(module->Get("g")->Call({})->Is<Object>());
  const absl::Status wrong = runtime_->LoadSource("scoring", "def f(:\n").status();
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PythonErrorOf(wrong)->type, "SyntaxError");
  EXPECT_TRUE(module->Get("g")->Call({}).ok());  // the module before is there still
  EXPECT_EQ(runtime_->LoadSource("", "x = 1").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(runtime_->LoadSource("raises", "x = {}['key']").status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(runtime_->ImportModule("raises").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ServicesTest, TheSignatureOfAFunction) {
  const Module module = ModuleOf(
      "import dynacc\n"
      "def f(a: float, /, b, *rest, c: 'int' = 3, d=None, **others) -> list[int]:\n"
      "  '''Adds.\n\n  Everything.'''\n"
      "@dynacc.compile\ndef g(x, scale=2.0): return x * scale\n"
      "class Model:\n  def __call__(self, x): return x\n"
      "model, undescribed = Model(), dict\n");
  const absl::StatusOr<Signature> f = module.Get("f")->Signature();
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->documentation, "Adds.\n\nEverything.");
  EXPECT_EQ(f->returns, "list[int]");
  EXPECT_THAT(f->text, HasSubstr("(a: float, /, b, *rest, "));
  std::vector<std::string> rows;
  for (const Parameter& each : f->parameters) {
    rows.push_back(each.name + "|" + each.kind + "|" + each.annotation +
                   (each.has_default ? "|default" : ""));
  }
  EXPECT_THAT(rows,
              ElementsAre("a|positional only|float", "b|positional|", "rest|*|",
                          "c|keyword only|int|default", "d|keyword only||default", "others|**|"));
  EXPECT_EQ(f->parameters[3].default_value.As<int64_t>(), 3);
  EXPECT_TRUE(f->parameters[4].default_value.IsNone());
  EXPECT_EQ(module.Get("g")->Signature()->text, "(x, scale=2.0)");
  EXPECT_EQ(module.Get("model")->Signature()->parameters.size(), 1U);
  EXPECT_EQ(module.Get("undescribed")->Signature().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ServicesTest, AWarmFunctionIsServedByCompiledCode) {
  const Module module = ModuleOf(
      "import dynacc\nimport numpy as np\n"
      "@dynacc.compile\ndef compiled(a): return np.sqrt(a * a + 1.0) - a\n"
      "def plain(a): return np.exp(a) * a + np.sqrt(a) - a / 3.0 + np.exp(-a)\n"
      "def no_arrays(n): return [n, {}]\n"
      "def fails(a): raise ValueError('never warm')\n");
  const std::vector<double> ones(1000, 1.0);
  const std::vector<List> examples = {{TensorView::Of(ones.data(), {1000})},
                                      {TensorView::Of(ones.data(), {10})},
                                      {TensorView::Of(ones.data(), {20, 50})}};
  const Function compiled = *module.Get("compiled");
  ASSERT_TRUE(runtime_->WarmUp(compiled, examples).ok());
  const FunctionCounters warm = compiled.Counters();
  for (const List& arguments : examples) ASSERT_TRUE(compiled.Call(arguments).ok());
  EXPECT_EQ(compiled.Counters().calls - warm.calls, 3U);
  EXPECT_EQ(compiled.Counters().direct - warm.direct, 3U);
  const uint64_t kernels = Runtime::Stats()["kernels_compiled"];
  for (const List& arguments : examples) ASSERT_TRUE(compiled.Call(arguments).ok());
  EXPECT_EQ(Runtime::Stats()["kernels_compiled"], kernels);
  EXPECT_TRUE(runtime_->WarmUp(*module.Get("plain"), examples).ok());
  EXPECT_TRUE(runtime_->WarmUp(*module.Get("no_arrays"), {{1}}).ok());
  const Function fails = *module.Get("fails");
  EXPECT_EQ(runtime_->WarmUp(fails, examples).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(fails.Counters().failures, 1U);
  CallOptions options;
  options.deadline = absl::Now() - absl::Seconds(1);
  EXPECT_EQ(runtime_->WarmUp(compiled, examples, options).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Function().Counters().calls, 0U);
}

// The second begins while the first runs, and ends after it.
TEST_F(ServicesTest, WarmUpsThatOverlapLeaveTheOptionsAsTheyWere) {
  const Module module = ModuleOf(
      "import dynacc, threading\n"
      "first_runs, second_runs, first_is_over = (threading.Event() for _ in range(3))\n"
      "def first():\n  first_runs.set()\n  second_runs.wait()\n"
      "def second():\n  second_runs.set()\n  first_is_over.wait()\n"
      "def option(): return str(dynacc.config.tier_up)\n"
      "def wait_for_first(): first_runs.wait()\n"
      "def end_first(): first_is_over.set()\n");
  const Function option = *module.Get("option");
  const std::string before = option.Call({})->As<std::string>();
  const std::vector<List> examples = {List()};
  absl::Status statuses[2];
  const auto warm_up = [&](int index, const char* name) {
    statuses[index] = runtime_->WarmUp(*module.Get(name), examples);
  };
  std::thread first(warm_up, 0, "first");
  ASSERT_TRUE(module.Get("wait_for_first")->Call({}).ok());
  std::thread second(warm_up, 1, "second");
  first.join();
  EXPECT_EQ(option.Call({})->As<std::string>(), "0");
  ASSERT_TRUE(module.Get("end_first")->Call({}).ok());
  second.join();
  EXPECT_TRUE(statuses[0].ok() && statuses[1].ok()) << statuses[0] << statuses[1];
  EXPECT_EQ(option.Call({})->As<std::string>(), before);
}

// Nothing is traced anew for it, however often the other file is loaded.
TEST_F(ServicesTest, AReloadLeavesTheCodeOfOtherFilesAlone) {
  const std::string text =
      "import dynacc\nimport numpy as np\n@dynacc.compile\ndef f(a): return np.sqrt(a * a + 1.0)\n";
  const std::vector<double> ones(100, 1.0);
  const std::vector<List> examples = {{TensorView::Of(ones.data(), {100})}};
  const Function served = FunctionOf(text);
  ASSERT_TRUE(runtime_->WarmUp(served, examples).ok());
  const std::string path = FileOf(text);
  for (int version = 0; version < 4; ++version) {
    const absl::StatusOr<Module> module = runtime_->LoadFile(path);
    ASSERT_TRUE(module.ok()) << module.status();
    const Function reloaded = *module->Get("f");
    ASSERT_TRUE(runtime_->WarmUp(reloaded, examples).ok());
    ASSERT_TRUE(reloaded.Call(examples[0]).ok());
    EXPECT_GT(reloaded.Counters().direct, 0U);
    const uint64_t traced = Runtime::Stats()["segments_compiled"];
    const uint64_t direct = served.Counters().direct;
    ASSERT_TRUE(served.Call(examples[0]).ok());
    EXPECT_EQ(served.Counters().direct, direct + 1) << version;
    EXPECT_EQ(Runtime::Stats()["segments_compiled"], traced);
  }
}

class LogsTest : public ServicesTest {
 protected:
  RuntimeOptions Options() override {
    RuntimeOptions options;
    options.policy = "always";
    options.log_sink = [this](absl::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_ += std::string(line) + "\n";
    };
    return options;
  }
  ~LogsTest() override { runtime_.reset(); }
  std::string Lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  std::mutex mutex_;
  std::string lines_;
};

TEST_F(LogsTest, AreSwitchedWhileTheRuntimeRuns) {
  const Module module = ModuleOf(
      "import numpy as np\ndef f(a): return a + 1\ndef g(a): return a * 2\ndef h(a): return a - "
      "1\n");
  const std::vector<double> ones(10, 1.0);
  const List arguments = {TensorView::Of(ones.data(), {10})};
  for (int i = 0; i < 3; ++i) (void)module.Get("f")->Call(arguments);
  EXPECT_THAT(Lines(), Not(HasSubstr("dynacc[graph]")));
  ASSERT_TRUE(Runtime::SetLogs("graph").ok());
  const std::string folder = std::filesystem::path(FileOf("")).parent_path();
  ASSERT_TRUE(Runtime::SetTrace(folder + "/trace.json").ok());
  for (int i = 0; i < 3; ++i) (void)module.Get("g")->Call(arguments);
  EXPECT_THAT(Lines(), HasSubstr("dynacc[graph]"));
  ASSERT_TRUE(Runtime::SetLogs("").ok());
  ASSERT_TRUE(Runtime::SetTrace("").ok());
  const std::string before = Lines();
  for (int i = 0; i < 3; ++i) (void)module.Get("h")->Call(arguments);
  EXPECT_EQ(Lines(), before);
  std::ifstream file(folder + "/trace.json");
  std::stringstream trace;
  trace << file.rdbuf();
  EXPECT_THAT(trace.str(), HasSubstr("\"g ("));
  EXPECT_THAT(trace.str(), Not(HasSubstr("\"h (")));
  EXPECT_THAT(Runtime::SetLogs("no_such_topic").ToString(), HasSubstr("no_such_topic"));
  EXPECT_FALSE(Runtime::SetTrace("/no/such/folder/trace").ok());
}

TEST_F(ServicesTest, AFrozenFunctionNeedsNoPython) {
  const Module module = ModuleOf(
      "import numpy as np\nweights = np.arange(3.0)\n"
      "def f(x, *, negative): return (-x if negative else x * weights * 2.0).sum(axis=1)\n"
      "def g(x): return print(x)\n");
  const std::string path =
      std::filesystem::path(FileOf("")).parent_path().string() + "/frozen.dynacc";
  std::vector<double> rows = {1, 1, 1, 2, 2, 2};
  FreezeOptions options;
  options.keywords = {{"negative", false}};
  options.dynamic = {{"x", {{0, 1, 64}}}};
  options.targets = {"x86-64-v3"};
  const absl::Status frozen =
      module.Get("f")->Freeze(path, {TensorView::Of(rows.data(), {2, 3})}, options);
  ASSERT_TRUE(frozen.ok()) << frozen;
  const auto program = Program::Load(path);
  ASSERT_TRUE(program.ok()) << program.status().message;
  std::vector<double> input = {1, 2, 3, 1, 1, 1, 0, 0, 5}, sums(3);
  std::vector<ProgramArray> inputs, outputs;
  inputs.push_back(ProgramArray::Of(input.data(), {3, 3}));
  outputs.push_back(ProgramArray::Of(sums.data(), {3}));
  const auto status = program->Run(inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_THAT(sums, ElementsAre(16, 6, 20));
  const absl::Status refused = module.Get("g")->Freeze(path, {TensorView::Of(rows.data(), {2, 3})});
  EXPECT_THAT(refused.ToString(), HasSubstr(".py:4: call of print"));
  EXPECT_FALSE(Function().Freeze(path, {}).ok());
}

TEST_F(ServicesTest, TheVersion) {
  const Value version = *runtime_->ImportModule("dynacc")->GetValue("__version__");
  EXPECT_EQ(version.As<std::string>(), Version());
}

}  // namespace
}  // namespace dynacc
