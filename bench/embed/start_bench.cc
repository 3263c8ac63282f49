// Starts of a server one after the other, each in a process of its own: does one of them stay slow?
//
// Each start has a Runtime of the default policy and a model of plain functions (served_model.h),
// which four threads call until compiled code serves what it will; then the median time of a call
// is the start's steady state. The report has the median over all starts, and every start that took
// more than three times that, with what its counters say.
//
// usage: start_bench [starts]     (default: 20; 1,000 take some ten minutes)
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "bench/embed/served_model.h"
#include "dynacc/embed.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc {
namespace {

constexpr int kThreads = 4;
// Of each function, of a thread: more together than the 2,000 calls after which code that was left
// alone is tried again (docs/frames-and-segments.md), as one start in 200 leaves some alone because
// another program disturbed the clock.
constexpr int kWarmCalls = 800;
constexpr int kTimedCalls = 100;  // of each function

double MedianMicroseconds(const Function& f, const std::vector<Value>& arguments) {
  std::vector<int64_t> times;
  for (int i = 0; i < kTimedCalls; ++i) {
    const int64_t start = absl::GetCurrentTimeNanos();
    Check(f.Call(arguments).status());
    times.push_back(absl::GetCurrentTimeNanos() - start);
  }
  std::nth_element(times.begin(), times.begin() + kTimedCalls / 2, times.end());
  return static_cast<double>(times[kTimedCalls / 2]) * 1e-3;
}

// The child: one start. Prints the two medians and the counters.
int RunOneStart(const std::string& folder) {
  RuntimeOptions options;
  options.cache_folder = folder;
  const auto runtime = Got(Runtime::Start(options));
  const Module module = Got(runtime->LoadFile(folder + "/served_model.py"));
  const Function transformer = Got(module.Get("transformer")), score = Got(module.Get("score"));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const ServedArguments arguments;
      for (int k = 0; k < kWarmCalls; ++k) {
        Check(transformer.Call(arguments.image).status());
        Check(score.Call(arguments.row).status());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ServedArguments arguments;
  std::printf("%.2f %.2f direct=%llu,%llu", MedianMicroseconds(transformer, arguments.image),
              MedianMicroseconds(score, arguments.row),
              static_cast<unsigned long long>(transformer.Counters().direct),
              static_cast<unsigned long long>(score.Counters().direct));
  for (const auto& [name, count] : Runtime::Stats()) {
    if (count > 0) {
      std::printf(",%s=%llu", name.c_str(), static_cast<unsigned long long>(count));
    }
  }
  return 0;
}

struct Start {
  double transformer = 0, score = 0;
  std::string counters;
};

Start StartOnce(const std::string& program, const std::string& folder) {
  std::FILE* const output = popen(absl::StrCat(program, " --start ", folder).c_str(), "r");
  char text[4096] = "";
  const size_t size = output == nullptr ? 0 : std::fread(text, 1, sizeof(text) - 1, output);
  if (output == nullptr || pclose(output) != 0) Check(absl::InternalError("a start failed"));
  const std::vector<std::string> parts = absl::StrSplit(absl::string_view(text, size), ' ');
  Start start;
  if (parts.size() != 3 || !absl::SimpleAtod(parts[0], &start.transformer) ||
      !absl::SimpleAtod(parts[1], &start.score)) {
    Check(absl::InternalError(absl::StrCat("a start said ", text)));
  }
  start.counters = parts[2];
  return start;
}

double Median(const std::vector<Start>& starts, double Start::*of) {
  std::vector<double> values;
  for (const Start& start : starts) values.push_back(start.*of);
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

int Run(const std::string& program, int count) {
  const ScratchDirectory folder;
  WriteServedModel(folder.path(), false);
  std::vector<Start> starts;
  for (int i = 0; i < count; ++i) starts.push_back(StartOnce(program, folder.path()));
  int slow = 0;
  for (double Start::*of : {&Start::transformer, &Start::score}) {
    const double median = Median(starts, of);
    double slowest = 0;
    for (const Start& start : starts) {
      slowest = std::max(slowest, start.*of);
      if (start.*of <= 3 * median) continue;
      ++slow;
      std::printf("  stayed slow: %.1f us, %s\n", start.*of, start.counters.c_str());
    }
    std::printf("%-12s median %8.1f us, slowest %8.1f us of %d starts\n",
                of == &Start::transformer ? "transformer" : "score", median, slowest, count);
  }
  return slow > 0 ? 1 : 0;
}

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--start") return dynacc::RunOneStart(argv[2]);
  return dynacc::Run(argv[0], argc > 1 ? std::max(1, std::atoi(argv[1])) : 20);
}
