// Host threads that call a compiled function at once: calls a second beside one thread's, and how
// long a call holds the GIL.
//
// The four functions by which libdynacc_embed and NumPy take and release the GIL are defined here
// and stand before libpython's: what lies between the return of one that takes it and the call of
// one that releases it is held. Processor time of the thread, so that the machine's other work does
// not count. "held" has all of a call: arguments into arrays, guards, results; "longest" the mean
// over calls of their longest stretch.
//
// usage: gil_bench [threads ...]     (default: 1 2 4)
#include <Python.h>
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "dynacc/embed.h"
#include "tests/runtime/kernel/scratch_directory.h"

namespace {

// Of the calling thread.
struct Held {
  int64_t since = 0;  // when it took the GIL last
  int64_t total = 0;
  int64_t longest = 0;  // stretch
  int64_t stretches = 0;
};
thread_local Held t_held;

int64_t Now(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void Takes() { t_held.since = Now(CLOCK_THREAD_CPUTIME_ID); }

void Releases() {
  const int64_t held = Now(CLOCK_THREAD_CPUTIME_ID) - t_held.since;
  t_held.total += held;
  t_held.longest = std::max(t_held.longest, held);
  ++t_held.stretches;
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

struct Measured {
  double seconds = 0;
  double held_us = 0;     // a call
  double longest_us = 0;  // a call
  double stretches = 0;   // a call
};

struct Sums {
  std::atomic<int64_t> held = 0, longest = 0, stretches = 0, failures = 0;
};

void CallMany(const Function& f, int64_t elements, int calls, Sums& sums) {
  const std::vector<double> a(elements, 0.5), b(elements, 0.25);
  const std::vector<Value> arguments = {TensorView::Of(a.data(), {elements}),
                                        TensorView::Of(b.data(), {elements})};
  if (!f.Call(arguments).ok()) ++sums.failures;
  const Held before = t_held;
  int64_t longest = 0;
  for (int i = 0; i < calls; ++i) {
    t_held.longest = 0;
    if (!f.Call(arguments).ok()) ++sums.failures;
    longest += t_held.longest;
  }
  sums.held += t_held.total - before.total;
  sums.stretches += t_held.stretches - before.stretches;
  sums.longest += longest;
}

Measured Measure(const Function& f, int64_t elements, int threads, int calls) {
  Sums sums;
  const int64_t start = Now(CLOCK_MONOTONIC);
  std::vector<std::thread> callers;
  for (int i = 0; i < threads; ++i) {
    callers.emplace_back([&] { CallMany(f, elements, calls, sums); });
  }
  for (std::thread& caller : callers) caller.join();
  const double all = static_cast<double>(threads) * calls;
  if (sums.failures != 0) std::exit(1);
  return {static_cast<double>(Now(CLOCK_MONOTONIC) - start) * 1e-9,
          static_cast<double>(sums.held) * 1e-3 / all,
          static_cast<double>(sums.longest) * 1e-3 / all,
          static_cast<double>(sums.stretches) / all};
}

void Report(const char* name, const Function& f, int64_t elements,
            const std::vector<int>& threads) {
  constexpr int kCalls = 500;
  double alone = 0;
  for (const int count : threads) {
    const Measured m = Measure(f, elements, count, kCalls);
    const double rate = count * kCalls / m.seconds;
    if (alone == 0) alone = rate;
    std::printf("%-9s %8lld %8d %9.0f %9.2f %9.2f %9.2f %9.1f\n", name,
                static_cast<long long>(elements), count, rate, rate / alone, m.held_us,
                m.longest_us, m.stretches);
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
      Measure(f, elements, 1, 200);  // traced and compiled
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
