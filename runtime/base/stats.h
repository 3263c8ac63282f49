// Process-wide counters (stats.def), the graph-break histogram and the time spent compiling.
//
// Each thread counts in memory of its own, which nobody else writes: a load and a store, where a
// shared counter takes some 5 ns, and every call of a compiled function counts four things. Who
// reads them adds up what all threads have counted. StatsJson gives the object that DYNACC_STATS
// writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace dynacc {

// What one thread has counted, and those before it whose memory it took over.
struct Stats {
#define DYNACC_COUNTER(name, doc) std::atomic<uint64_t> name{0};
#include "runtime/base/stats.def"
#undef DYNACC_COUNTER
  std::atomic<uint64_t> compile_nanoseconds{0};
};

// What all threads have counted, those that have ended included.
struct StatTotals {
#define DYNACC_COUNTER(name, doc) uint64_t name = 0;
#include "runtime/base/stats.def"
#undef DYNACC_COUNTER
  uint64_t compile_nanoseconds = 0;
};

// The calling thread's own.
Stats& ThreadStats();

StatTotals ProcessStats();

// `counter` is of ThreadStats().
inline void Count(std::atomic<uint64_t>& counter, uint64_t by = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

// Adds one to the histogram of graph-break reasons.
void CountBreak(absl::string_view reason);

// Each graph-break reason with its count, most frequent first.
std::vector<std::pair<std::string, uint64_t>> BreakCounts();

// Name and value of each counter, in the table's order.
std::vector<std::pair<std::string, uint64_t>> CounterValues();

// All of it as one JSON object: the counters, "graph_breaks" (reason to count) and
// "compile_seconds".
std::string StatsJson();

// Writes StatsJson to `path`, replacing it.
absl::Status WriteStats(const std::string& path);

// Adds the time between construction and destruction to compile_seconds.
class CompileTimer {
 public:
  CompileTimer() : start_(absl::Now()) {}
  ~CompileTimer();

 private:
  absl::Time start_;
};

}  // namespace dynacc
