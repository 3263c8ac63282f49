// Host threads that call a compiled function at once: calls a second beside one thread's, and how
// long a call holds the GIL.
//
// The four functions by which libdynacc_embed and NumPy take and release the GIL are defined here
// and stand before libpython's: what lies between the return of one that takes it and the call of
// one that releases it is held. Time on the wall, as to ask for processor time is a system call,
// which evicts what the call needs; medians over calls, so that being switched off does not count:
// "held" of all stretches of a call, "longest" of the longest of them.
//
// usage: gil_bench [threads ...]     (default: 1 2 4)
#include <Python.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dynacc/embed.h"
#include "runtime/base/clock.h"
#include "tests/runtime/base/scratch_directory.h"

namespace {

// Of the calling thread.
struct HeldByThread {
  int64_t since = 0;  // when it took the GIL last
  int64_t total = 0;
  int64_t longest = 0;  // stretch
  int64_t stretches = 0;
};
thread_local HeldByThread t_thread;

void Takes() { t_thread.since = dynacc::NowNanoseconds(); }

// What two looks at the clock have between them when nothing happens.
int64_t ClockCost() {
  static const int64_t cost = [] {
    int64_t least = INT64_MAX;
    for (int i = 0; i < 10000; ++i) {
      const int64_t start = dynacc::NowNanoseconds();
      least = std::min(least, dynacc::NowNanoseconds() - start);
    }
    return least;
  }();
  return cost;
}

void Releases() {
  const int64_t held = dynacc::NowNanoseconds() - t_thread.since - ClockCost();
  t_thread.total += held;
  t_thread.longest = std::max(t_thread.longest, held);
  ++t_thread.stretches;
}

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) PyGILState_STATE PyGILState_Ensure() {
  static auto* const next = Next<PyGILState_STATE()>("PyGILState_Ensure");
  const PyGILState_STATE state = next();
  if (state == PyGILState_UNLOCKED) Takes();
  return state;
}

__attribute__((visibility("default"))) void PyGILState_Release(PyGILState_STATE state) {
  static auto* const next = Next<void(PyGILState_STATE)>("PyGILState_Release");
  if (state == PyGILState_UNLOCKED) Releases();
  next(state);
}

__attribute__((visibility("default"))) PyThreadState* PyEval_SaveThread() {
  static auto* const next = Next<PyThreadState*()>("PyEval_SaveThread");
  Releases();
  return next();
}

__attribute__((visibility("default"))) void PyEval_RestoreThread(PyThreadState* thread) {
  static auto* const next = Next<void(PyThreadState*)>("PyEval_RestoreThread");
  next(thread);
  Takes();
}

}  // extern "C"

namespace dynacc {
namespace {

constexpr char kModel[] = R"(
import dynacc
import numpy as np

def function(a, b):
    c = np.sqrt(a * a + b * b)
    d = np.exp(-c) * a + b
    return np.sqrt(d * d + 1.0) - c * 0.5

compiled = dynacc.compile(type(function)(function.__code__.replace(co_name="compiled"), globals()))
)";

// Nanoseconds of every call of all threads.
struct Held {
  std::mutex mutex;
  std::vector<int64_t> totals, longest;
  int64_t stretches = 0;
};

// Calls that fail end the program: what is timed is not what was meant then.
void Call(const Function& f, const std::vector<Value>& arguments) {
  const auto result = f.Call(arguments);
  if (result.ok()) return;
  std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
  std::exit(1);
}

void CallMany(const Function& f, int64_t elements, int calls, Held& held) {
  const std::vector<double> a(elements, 0.5), b(elements, 0.25);
  const std::vector<Value> arguments = {TensorView::Of(a.data(), {elements}),
                                        TensorView::Of(b.data(), {elements})};
  Call(f, arguments);
  std::vector<int64_t> totals(calls), longest(calls);
  const int64_t stretches = t_thread.stretches;
  for (int i = 0; i < calls; ++i) {
    t_thread.total = t_thread.longest = 0;
    Call(f, arguments);
    totals[i] = t_thread.total;
    longest[i] = t_thread.longest;
  }
  const std::lock_guard lock(held.mutex);
  held.stretches += t_thread.stretches - stretches;
  held.totals.insert(held.totals.end(), totals.begin(), totals.end());
  held.longest.insert(held.longest.end(), longest.begin(), longest.end());
}

double MedianMicroseconds(std::vector<int64_t>& nanoseconds) {
  const auto middle = nanoseconds.begin() + static_cast<int64_t>(nanoseconds.size() / 2);
  std::nth_element(nanoseconds.begin(), middle, nanoseconds.end());
  return static_cast<double>(*middle) * 1e-3;
}

// Wall-clock seconds of all calls.
double Measure(const Function& f, int64_t elements, int threads, int calls, Held& held) {
  const int64_t start = NowNanoseconds();
  std::vector<std::thread> callers;
  callers.reserve(threads);
  for (int i = 0; i < threads; ++i) {
    callers.emplace_back([&] { CallMany(f, elements, calls, held); });
  }
  for (std::thread& caller : callers) caller.join();
  return static_cast<double>(NowNanoseconds() - start) * 1e-9;
}

void Report(const char* name, const Function& f, int64_t elements,
            const std::vector<int>& threads) {
  constexpr int kCalls = 500;
  double alone = 0;
  for (const int count : threads) {
    Held held;
    const double rate = count * kCalls / Measure(f, elements, count, kCalls, held);
    if (alone == 0) alone = rate;
    std::printf("%-9s %8lld %8d %9.0f %9.2f %9.2f %9.2f %9.1f\n", name,
                static_cast<long long>(elements), count, rate, rate / alone,
                MedianMicroseconds(held.totals), MedianMicroseconds(held.longest),
                static_cast<double>(held.stretches) / count / kCalls);
  }
}

int Run(const std::vector<int>& threads) {
  const ScratchDirectory folder;
  const std::string path = folder.path() + "/gil_bench_model.py";
  std::ofstream(path) << kModel;
  RuntimeOptions options;
  options.threads = 1;  // the calls are what runs side by side
  options.cache_folder = folder.path();
  const auto runtime = Runtime::Start(options);
  if (!runtime.ok()) return std::fprintf(stderr, "%s\n", runtime.status().ToString().c_str()), 1;
  const auto module = (*runtime)->LoadFile(path);
  if (!module.ok()) return std::fprintf(stderr, "%s\n", module.status().ToString().c_str()), 1;
  std::printf("%-9s %8s %8s %9s %9s %9s %9s %9s\n", "function", "elements", "threads", "calls/s",
              "beside 1", "held us", "longest", "stretches");
  for (const char* name : {"function", "compiled"}) {
    const Function f = *module->Get(name);
    for (const int64_t elements : {1000, 20000, 400000}) {
      Held unused;
      Measure(f, elements, 1, 200, unused);  // traced and compiled
      Report(name, f, elements, threads);
    }
  }
  return 0;
}

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  setenv("DYNACC_TIER_UP", "0", 0);
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::max(1, std::atoi(argv[i])));
  if (threads.empty()) threads = {1, 2, 4};
  return dynacc::Run(threads);
}
