#include "runtime/base/stats.h"

#include <algorithm>
#include <cstdio>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"

namespace dynacc {
namespace {

struct BreakHistogram {
  absl::Mutex mutex;
  absl::flat_hash_map<std::string, uint64_t> counts;
};

BreakHistogram& Breaks() {
  static BreakHistogram& breaks = *new BreakHistogram;
  return breaks;
}

// The memory of all threads' counters. It is never freed: what a thread leaves, the next one takes
// over and counts on in it.
class ThreadCounters {
 public:
  Stats& Take() {
    absl::MutexLock lock(&mutex_);
    if (idle_.empty()) return *all_.emplace_back(new Stats);
    Stats& stats = *idle_.back();
    idle_.pop_back();
    return stats;
  }

  void GiveBack(Stats& stats) {
    absl::MutexLock lock(&mutex_);
    idle_.push_back(&stats);
  }

  StatTotals Sum() {
    absl::MutexLock lock(&mutex_);
    StatTotals totals;
    for (const Stats* stats : all_) {
#define DYNACC_COUNTER(name, doc) totals.name += stats->name.load(std::memory_order_relaxed);
#include "runtime/base/stats.def"
#undef DYNACC_COUNTER
      totals.compile_nanoseconds += stats->compile_nanoseconds.load(std::memory_order_relaxed);
    }
    return totals;
  }

 private:
  absl::Mutex mutex_;
  std::vector<Stats*> all_;
  std::vector<Stats*> idle_;
};

ThreadCounters& AllCounters() {
  static ThreadCounters& counters = *new ThreadCounters;
  return counters;
}

// A thread's hold on its counters, from its first count to its end.
struct CountersOfThread {
  Stats& stats = AllCounters().Take();

  ~CountersOfThread() { AllCounters().GiveBack(stats); }
};

}  // namespace

Stats& ThreadStats() {
  thread_local CountersOfThread counters;
  return counters.stats;
}

StatTotals ProcessStats() { return AllCounters().Sum(); }

void CountBreak(absl::string_view reason) {
  BreakHistogram& breaks = Breaks();
  absl::MutexLock lock(&breaks.mutex);
  ++breaks.counts[std::string(reason)];
}

std::vector<std::pair<std::string, uint64_t>> BreakCounts() {
  BreakHistogram& breaks = Breaks();
  absl::MutexLock lock(&breaks.mutex);
  std::vector<std::pair<std::string, uint64_t>> rows(breaks.counts.begin(), breaks.counts.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return rows;
}

std::vector<std::pair<std::string, uint64_t>> CounterValues() {
  const StatTotals totals = ProcessStats();
  return {
#define DYNACC_COUNTER(name, doc) {#name, totals.name},
#include "runtime/base/stats.def"
#undef DYNACC_COUNTER
      {"extern_calls", totals.library_calls},  // the former name, until 0.2
  };
}

std::string StatsJson() {
  Json stats;
  for (const auto& [name, value] : CounterValues()) stats[name] = value;
  stats["compile_seconds"] = static_cast<double>(ProcessStats().compile_nanoseconds) * 1e-9;
  Json& breaks = stats["graph_breaks"] = Json::object();
  for (const auto& [reason, count] : BreakCounts()) breaks[reason] = count;
  return JsonText(stats) + "\n";
}

absl::Status WriteStats(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("DYNACC_STATS: cannot write ", path));
  }
  const std::string text = StatsJson();
  const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !complete) {
    return absl::DataLossError(absl::StrCat("DYNACC_STATS: writing ", path, " failed"));
  }
  return absl::OkStatus();
}

CompileTimer::~CompileTimer() {
  Count(ThreadStats().compile_nanoseconds, absl::ToInt64Nanoseconds(absl::Now() - start_));
}

}  // namespace dynacc
