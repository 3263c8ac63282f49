// Calls: errors, keywords, callbacks, threads, deadlines and cancellation.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

using testing::HasSubstr;

class CallsTest : public HostTest {};

TEST_F(CallsTest, KeywordsArriveByName) {
  const Function f = FunctionOf("def f(a, *, scale=1): return a * scale\n");
  CallOptions options;
  options.keywords = {{"scale", 3}};
  EXPECT_EQ(f.Call({2}, options)->As<int64_t>(), 6);
  options.keywords = {{"missing", 3}};
  EXPECT_EQ(f.Call({2}, options).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(CallsTest, AnExceptionIsAStatusWithItsParts) {
  const Function f = FunctionOf(
      "class NotReady(Exception): pass\n"
      "reason = 'warming up'\n"
      "def f(kind):\n"
      "  if kind == 'own': raise NotReady(reason)\n"
      "  raise getattr(__import__('builtins'), kind)('text')\n");
  const absl::Status own = f.Call({"own"}).status();
  EXPECT_EQ(own.code(), absl::StatusCode::kUnknown);
  const std::optional<PythonError> error = PythonErrorOf(own);
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->type, testing::EndsWith(".NotReady"));
  EXPECT_EQ(error->message, "warming up");
  EXPECT_THAT(error->traceback, HasSubstr("line 4, in f"));
  EXPECT_THAT(error->traceback, testing::StartsWith("Traceback (most recent call last)"));
  EXPECT_THAT(std::string(own.message()), testing::EndsWith("NotReady: warming up"));
  // All of it once.
  const std::string shown = own.ToString();
  for (const char* part : {"warming up", "Traceback", "in f"}) {
    EXPECT_EQ(shown.find(part), shown.rfind(part)) << shown;
    EXPECT_NE(shown.find(part), std::string::npos) << shown;
  }
  const std::pair<const char*, absl::StatusCode> kinds[] = {
      {"NotImplementedError", absl::StatusCode::kUnimplemented},
      {"MemoryError", absl::StatusCode::kResourceExhausted},
      {"ImportError", absl::StatusCode::kNotFound},
      {"FileNotFoundError", absl::StatusCode::kNotFound},
      {"PermissionError", absl::StatusCode::kPermissionDenied},
      {"TimeoutError", absl::StatusCode::kDeadlineExceeded},
      {"KeyboardInterrupt", absl::StatusCode::kCancelled},
      {"KeyError", absl::StatusCode::kOutOfRange},
      {"ValueError", absl::StatusCode::kInvalidArgument},
      {"ZeroDivisionError", absl::StatusCode::kInvalidArgument},
      {"OSError", absl::StatusCode::kUnknown},
      {"SystemExit", absl::StatusCode::kUnknown},
      {"SyntaxError", absl::StatusCode::kInvalidArgument},
  };
  for (const auto& [kind, code] : kinds) {
    const absl::Status status = f.Call({kind}).status();
    EXPECT_EQ(status.code(), code) << kind;
    EXPECT_EQ(PythonErrorOf(status)->type, kind);
    const char* const shown = std::string(kind) == "KeyError" ? "'text'" : "text";
    EXPECT_EQ(PythonErrorOf(status)->message, shown) << kind;
  }
  EXPECT_FALSE(PythonErrorOf(absl::InternalError("of the host")).has_value());
}

TEST_F(CallsTest, ModulesAndNamesThatAreNotThere) {
  EXPECT_EQ(runtime_->ImportModule("no_such_module").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(runtime_->LoadFile("/no/such/file.py").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(runtime_->LoadFile("/etc/hostname").status().code(),
            absl::StatusCode::kInvalidArgument);
  const absl::Status wrong = runtime_->LoadFile(FileOf("x = 1\ndef f(:\n")).status();
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(PythonErrorOf(wrong)->message, HasSubstr("invalid syntax"));
  EXPECT_THAT(PythonErrorOf(wrong)->traceback, HasSubstr("line 2"));
  const std::string raises = FileOf("import os\nraise ValueError('at import')\n");
  EXPECT_THAT(runtime_->LoadFile(raises).status().ToString(), HasSubstr("ValueError: at import"));
  const std::filesystem::path raising = raises;
  const Function look = FunctionOf("import sys\ndef f(folder): sys.path.append(folder)\n");
  ASSERT_TRUE(look.Call({raising.parent_path().string()}).ok());
  const absl::Status imported = runtime_->ImportModule(raising.stem().string()).status();
  EXPECT_EQ(imported.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(PythonErrorOf(imported)->traceback, HasSubstr("line 2, in <module>"));
  const Module module = ModuleOf("x = 5\n");
  EXPECT_EQ(module.Get("y").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(module.Get("x").status().ToString(), HasSubstr("x is a int, which cannot be called"));
  EXPECT_EQ(module.GetValue("x")->As<int64_t>(), 5);
  EXPECT_EQ(Module().Get("x").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Function().Call({}).status().code(), absl::StatusCode::kInvalidArgument);
}

// What a compiled function is not compiled for: NumPy's own result or error, and it goes on
// working.
TEST_F(CallsTest, WrongShapesAndElementTypes) {
  const Function f = FunctionOf("def f(a, b):\n  return (a * b + a).sum()\n");
  const std::vector<double> doubles(6, 2.0);
  const std::vector<float> floats(6, 2.0F);
  const TensorView six = TensorView::Of(doubles.data(), {6});
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 5; ++k) EXPECT_EQ(f.Call({six, six})->As<double>(), 36.0);
    const absl::Status shapes = f.Call({six, TensorView::Of(doubles.data(), {5})}).status();
    EXPECT_EQ(shapes.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(PythonErrorOf(shapes)->message, HasSubstr("could not be broadcast"));
    EXPECT_EQ(f.Call({six, TensorView::Of(floats.data(), {6})})->As<double>(), 36.0);
    EXPECT_EQ(f.Call({TensorView::Of(doubles.data(), {2, 3}), TensorView::Of(floats.data(), {3})})
                  ->As<double>(),
              36.0);
    EXPECT_THAT(PythonErrorOf(f.Call({six, "text"}).status())->type,  // numpy.core, numpy._core
                testing::EndsWith("core._exceptions._UFuncNoLoopError"));
    EXPECT_EQ(PythonErrorOf(f.Call({six}).status())->type, "TypeError");
    EXPECT_EQ(PythonErrorOf(f.Call({1, 2}).status())->type, "AttributeError");
  }
}

TEST_F(CallsTest, PythonCallsTheHost) {
  const absl::StatusOr<Function> add = runtime_->MakeFunction(
      "add", [](const List& arguments, const Dict& keywords) -> absl::StatusOr<Value> {
        return arguments[0].As<int64_t>() + keywords[0].second.As<int64_t>();
      });
  ASSERT_TRUE(add.ok());
  const Module module = ModuleOf("def f(): return add(2, other=3), add.__name__\n");
  ASSERT_TRUE(module.Set("add", *add).ok());
  const List result = module.Get("f")->Call({})->As<List>();
  EXPECT_EQ(result[0].As<int64_t>(), 5);
  EXPECT_EQ(result[1].As<std::string>(), "add");
  EXPECT_EQ(runtime_->MakeFunction("none", nullptr).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(CallsTest, WhatACallbackReturnsOrThrowsIsRaised) {
  const Module module = ModuleOf(
      "def f(host):\n  try:\n    host()\n  except Exception as e:\n    return type(e).__name__, "
      "str(e)\n");
  const auto raised = [&](HostFunction function) {
    const absl::StatusOr<Function> host = runtime_->MakeFunction("host", std::move(function));
    const List parts = module.Get("f")->Call({*host})->As<List>();
    return parts[0].As<std::string>() + ": " + parts[1].As<std::string>();
  };
  EXPECT_EQ(raised([](const List&, const Dict&) { return absl::InvalidArgumentError("bad"); }),
            "ValueError: bad");
  EXPECT_EQ(raised([](const List&, const Dict&) { return absl::NotFoundError("gone"); }),
            "LookupError: gone");
  EXPECT_THAT(raised([](const List& arguments, const Dict&) -> absl::StatusOr<Value> {
                return arguments.at(7);
              }),
              testing::StartsWith("RuntimeError: host threw: vector"));
  EXPECT_EQ(raised([](const List&, const Dict&) -> absl::StatusOr<Value> { throw 5; }),
            "RuntimeError: host threw what is no std::exception");
}

TEST_F(CallsTest, ACallbackMayCallBack) {
  const Module module = ModuleOf("def f(n): return n if n == 0 else host(n - 1) + 1\n");
  const absl::StatusOr<Function> host = runtime_->MakeFunction(
      "host", [&](const List& arguments, const Dict&) { return module.Get("f")->Call(arguments); });
  ASSERT_TRUE(module.Set("host", *host).ok());
  EXPECT_EQ(module.Get("f")->Call({20})->As<int64_t>(), 20);
}

TEST_F(CallsTest, ManyThreadsCallAtOnce) {
  const Function f =
      FunctionOf("import numpy as np\ndef f(a, k): return float(np.sum(np.sqrt(a * a) * k))\n");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k) {
    threads.emplace_back([&, k] {
      const std::vector<double> ones(100, 1.0);
      for (int i = 0; i < 50; ++i) {
        const absl::StatusOr<Value> sum = f.Call({TensorView::Of(ones.data(), {100}), k});
        if (!sum.ok() || sum->As<double>() != 100.0 * k) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CallsTest, ADeadlineStopsACall) {
  const Module module = ModuleOf(
      "log = []\ndef f():\n  try:\n    n = 0\n    while True: n += 1\n  finally:\n    "
      "log.append('cleaned')\n"
      "def g(): return log, sum(range(1000))\n");
  CallOptions options;
  options.deadline = absl::Now() + absl::Milliseconds(50);
  EXPECT_EQ(module.Get("f")->Call({}, options).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  // Over already: not started.
  EXPECT_EQ(module.Get("f")->Call({}, options).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  const List after = module.Get("g")->Call({})->As<List>();
  EXPECT_EQ(after[0].As<List>().size(), 1u);
  EXPECT_EQ(after[1].As<int64_t>(), 499500);
}

TEST_F(CallsTest, ADeadlineStopsALoopOfKernels) {
  const Function f = FunctionOf(
      "import numpy as np\n"
      "def f(a):\n  x = a\n  while True:\n    x = np.sqrt(x * 0.5 + 1.0)\n");
  const std::vector<double> ones(1000, 1.0);
  CallOptions options;
  options.deadline = absl::Now() + absl::Milliseconds(200);
  const absl::Time start = absl::Now();
  EXPECT_EQ(f.Call({TensorView::Of(ones.data(), {1000})}, options).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

// Traces run code of their own and drop its errors: a deadline that passes meanwhile must not go
// with them. Each round makes a new function, so that most of the time is in traces.
TEST_F(CallsTest, ADeadlineThatPassesInATraceStopsTheCall) {
  const Function f = FunctionOf(
      "import time\nimport numpy as np\nimport dynacc\n"
      "def f(a):\n"
      "  end = time.monotonic() + 3\n"
      "  n = 0\n"
      "  while time.monotonic() < end:\n"
      "    n += 1\n"
      "    lines = [f'  y = np.sqrt(y * y + {n}.{i}) - np.sort(y)[::-1]\\n' for i in range(12)]\n"
      "    space = {'np': np}\n"
      "    exec('def g(y):\\n' + ''.join(lines) + '  return y\\n', space)\n"
      "    dynacc.compile(space['g'])(a)\n");
  const std::vector<double> ones(2000, 1.0);
  for (int i = 0; i < 25; ++i) {
    CallOptions options;
    options.deadline = absl::Now() + absl::Milliseconds(40 + 3 * i);
    EXPECT_EQ(f.Call({TensorView::Of(ones.data(), {2000})}, options).status().code(),
              absl::StatusCode::kDeadlineExceeded)
        << i;
  }
}

TEST_F(CallsTest, ACallThatEndsInTimeIsNotStoppedLater) {
  const Function f = FunctionOf("def f(n):\n  for i in range(n): pass\n  return n\n");
  for (int i = 0; i < 200; ++i) {
    CallOptions options;
    options.deadline = absl::Now() + absl::Microseconds(20 * i);
    const absl::StatusOr<Value> result = f.Call({20000}, options);
    if (!result.ok()) EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_TRUE(f.Call({2000}).ok());
  }
}

TEST_F(CallsTest, AnotherThreadCancelsCalls) {
  const Function f = FunctionOf("def f():\n  while True: pass\n");
  const Cancellation cancellation;
  CallOptions options;
  options.cancellation = &cancellation;
  std::vector<std::thread> threads;
  std::atomic<int> cancelled = 0;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      if (f.Call({}, options).status().code() == absl::StatusCode::kCancelled) ++cancelled;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Cancellation(cancellation).Cancel();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled, 3);
  EXPECT_TRUE(cancellation.cancelled());
  EXPECT_EQ(f.Call({}, options).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(CallsTest, FunctionsOfTheHostAreOperators) {
  const auto halves = [](const std::vector<Value>& arguments,
                         const Dict&) -> absl::StatusOr<Value> {
    const Tensor& x = arguments[0].tensor();
    if (x.shape()[0] > 5) return absl::InvalidArgumentError("too many");
    const auto half = std::make_shared<std::vector<double>>(x.shape()[0]);
    for (size_t i = 0; i < half->size(); ++i) {
      (*half)[i] = static_cast<const double*>(x.data())[i] / 2;
    }
    return Value(Tensor::Adopt(TensorView::Of(half->data(), x.shape()), [half] {}));
  };
  const auto function = runtime_->MakeFunction("halves", halves);
  ASSERT_TRUE(function.ok()) << function.status();
  const absl::Status registered =
      runtime_->RegisterOp("host::halves", "f64[n] -> f64[n]", *function);
  ASSERT_TRUE(registered.ok()) << registered;
  const Function f = FunctionOf(
      "import numpy as np, dynacc\n"
      "halves = dynacc.operators.get('host::halves')\n"
      "f = lambda x: halves(x * 2.0) + halves(x)\n"
      "def f(x, f=f):\n"
      "  found = dynacc.explain(f)(x)\n"
      "  return found.result, len(found.breaks), 'host.halves' in found.graphs[0]\n");
  const double x[] = {1, 2, 3};
  const absl::StatusOr<Value> result = f.Call({TensorView::Of(x, {3})});
  ASSERT_TRUE(result.ok()) << result.status();
  const auto* sums = static_cast<const double*>(result->As<List>()[0].tensor().data());
  EXPECT_EQ(sums[0] + sums[1] + sums[2], 9.0);
  EXPECT_EQ(result->As<List>()[1].As<int64_t>(), 0);
  EXPECT_TRUE(result->As<List>()[2].As<bool>());
  const double many[8] = {};
  EXPECT_THAT(std::string(f.Call({TensorView::Of(many, {8})}).status().message()),
              testing::HasSubstr("too many"));
  EXPECT_EQ(runtime_->RegisterOp("halves", "f64[n] -> f64[n]", *function).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dynacc
