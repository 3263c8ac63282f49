// What a call from C++ takes, beside Python's own caller of the same function.
//
// A row is a function: `nothing`, which Python runs, and a small array function that is compiled.
// A column is a way to call it: "python" is a loop in Python, less an empty loop; the others are
// those of dynacc/function.h, CallBatch for 32 requests at a time. Nanoseconds a call: the median
// over rounds, in which all ways take turns.
//
// usage: call_bench [rounds]     (default: 15)
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "bench/embed/checked.h"
#include "dynacc/embed.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc {
namespace {

constexpr int kCalls = 20'000;  // in a round

constexpr char kModel[] = R"(
import time

import dynacc
import numpy as np

def nothing():
    return None

@dynacc.compile
def small(a, b):
    return np.sqrt(a * a + b * b)

a, b = np.full(16, 0.5), np.full(16, 0.25)

def timed(name, calls):
    f, arguments = globals()[name], () if name == "nothing" else (a, b)
    start = time.perf_counter()
    if arguments:
        for _ in range(calls):
            f(a, b)
    else:
        for _ in range(calls):
            f()
    middle = time.perf_counter()
    for _ in range(calls):
        pass
    return (2 * middle - start - time.perf_counter()) / calls * 1e9
)";

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Way {
  std::string name;
  std::function<double()> nanoseconds;  // of a call, in one round
};

Way Calling(std::string name, std::function<void()> call, int calls_at_once = 1) {
  return {std::move(name), [call = std::move(call), calls_at_once] {
            const int64_t start = absl::GetCurrentTimeNanos();
            for (int i = 0; i < kCalls; i += calls_at_once) call();
            return static_cast<double>(absl::GetCurrentTimeNanos() - start) / kCalls;
          }};
}

void Report(const std::string& function, const std::vector<Way>& ways, int rounds) {
  std::vector<std::vector<double>> times(ways.size());
  for (const Way& way : ways) way.nanoseconds();  // traced, compiled, warm
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < ways.size(); ++i) times[i].push_back(ways[i].nanoseconds());
  }
  const double python = Median(times[0]);
  for (size_t i = 0; i < ways.size(); ++i) {
    const double median = Median(times[i]);
    std::printf("%-8s %-10s %8.0f ns %6.2f of python's\n", function.c_str(), ways[i].name.c_str(),
                median, median / python);
  }
}

void Run(int rounds) {
  const ScratchDirectory folder;
  const std::string path = folder.path() + "/call_bench_model.py";
  std::ofstream(path) << kModel;
  RuntimeOptions options;
  options.threads = 1;
  options.cache_folder = folder.path();
  const auto runtime = Got(Runtime::Start(options));
  const Module module = Got(runtime->LoadFile(path));
  const Function timed = Got(module.Get("timed")), nothing = Got(module.Get("nothing")),
                 small = Got(module.Get("small"));
  const auto python = [&timed](const char* name) {
    return Way{"python", [&timed, name] { return Got(timed.Call({name, kCalls})).As<double>(); }};
  };
  const std::vector<double> a(16, 0.5), b(16, 0.25);
  const std::vector<Value> arguments = {TensorView::Of(a.data(), {16}),
                                        TensorView::Of(b.data(), {16})};
  constexpr int kBatch = 32;
  const std::vector<List> nothings(kBatch), requests(kBatch, arguments);
  std::vector<double> result(16);
  const std::vector<TensorView> outputs = {TensorView::Of(result.data(), {16})};
  const auto batch = [](const Function& f, const std::vector<List>& given) {
    for (const auto& each : f.CallBatch(given)) Check(each.status());
  };
  Report("nothing",
         {python("nothing"), Calling("Call", [&] { Check(nothing.Call({}).status()); }),
          Calling(
              "CallBatch", [&] { batch(nothing, nothings); }, kBatch)},
         rounds);
  Report("small",
         {python("small"), Calling("Call", [&] { Check(small.Call(arguments).status()); }),
          Calling("CallInto", [&] { Check(small.CallInto(arguments, outputs)); }),
          Calling(
              "CallBatch", [&] { batch(small, requests); }, kBatch)},
         rounds);
}

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  setenv("DYNACC_TIER_UP", "0", 0);
  dynacc::Run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 15);
  return 0;
}
