// Host threads that call a mix of functions at once: calls a second, and how long a call takes.
//
// Each thread calls a transformer of two layers, a scoring function and a function that fails, one
// after the other, without a pause. A row is a number of threads; "p50" and "p99" are of all calls
// of all threads. "all" lets all threads into Python at once (RuntimeOptions::most_calls), so that
// they wait for the GIL; "by cores" is the default.
//
// usage: threads_bench [seconds a row] [threads ...]     (default: 2 1 2 4 16)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "bench/embed/served_model.h"
#include "dynacc/embed.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc {
namespace {

class Load {
 public:
  explicit Load(const Module& module)
      : transformer_(Got(module.Get("transformer"))),
        score_(Got(module.Get("score"))),
        fails_(Got(module.Get("fails"))) {}

  // Nanoseconds of every call that `threads` made in that time.
  std::vector<int64_t> Run(int threads, absl::Duration time) const {
    std::vector<std::vector<int64_t>> times(threads);
    const absl::Time end = absl::Now() + time;
    std::vector<std::thread> callers;
    for (std::vector<int64_t>& each : times) callers.emplace_back([&] { CallUntil(end, each); });
    for (std::thread& caller : callers) caller.join();
    std::vector<int64_t> all;
    for (const auto& each : times) all.insert(all.end(), each.begin(), each.end());
    return all;
  }

 private:
  void CallUntil(absl::Time end, std::vector<int64_t>& times) const {
    const ServedArguments arguments;
    int64_t start = absl::GetCurrentTimeNanos();
    for (int i = 0; absl::FromUnixNanos(start) < end; ++i) {
      if (i % 3 == 0) Check(transformer_.Call(arguments.image).status());
      if (i % 3 == 1) Check(score_.Call(arguments.row).status());
      if (i % 3 == 2 && fails_.Call({7}).ok()) Check(absl::InternalError("it did not fail"));
      const int64_t now = absl::GetCurrentTimeNanos();
      times.push_back(now - start);
      start = now;
    }
  }

  Function transformer_, score_, fails_;
};

double Quantile(std::vector<int64_t>& times, double part) {
  const auto at = times.begin() + static_cast<int64_t>(part * static_cast<double>(times.size()));
  std::nth_element(times.begin(), at, times.end());
  return static_cast<double>(*at) * 1e-6;
}

void Report(const char* name, const RuntimeOptions& options, const std::string& path,
            absl::Duration time, const std::vector<int>& counts) {
  const auto runtime = Got(Runtime::Start(options));
  const Load load(Got(runtime->LoadFile(path)));
  load.Run(1, absl::Seconds(1));  // traced and compiled
  for (const int threads : counts) {
    std::vector<int64_t> times = load.Run(threads, time);
    const double rate = static_cast<double>(times.size()) / absl::ToDoubleSeconds(time);
    const double half = Quantile(times, 0.5), most = Quantile(times, 0.99);
    std::printf("%-10s %8d %9.0f %9.3f %9.3f %9.1f\n", name, threads, rate, half, most,
                most / half);
    std::fflush(stdout);
  }
}

void RunAll(absl::Duration time, const std::vector<int>& threads) {
  const ScratchDirectory folder;
  const std::string path = WriteServedModel(folder.path(), true);
  RuntimeOptions options;
  options.threads = 1;
  options.cache_folder = folder.path();
  std::printf("%-10s %8s %9s %9s %9s %9s\n", "inside", "threads", "calls/s", "p50 ms", "p99 ms",
              "p99/p50");
  for (const int most : {1'000'000, 0}) {
    options.most_calls = most;
    Report(most == 0 ? "by cores" : "all", options, path, time, threads);
  }
}

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  setenv("DYNACC_TIER_UP", "0", 0);
  const absl::Duration time = absl::Seconds(argc > 1 ? std::max(1, std::atoi(argv[1])) : 2);
  std::vector<int> threads;
  for (int i = 2; i < argc; ++i) threads.push_back(std::max(1, std::atoi(argv[i])));
  if (threads.empty()) threads = {1, 2, 4, 16};
  dynacc::RunAll(time, threads);
  return 0;
}
