// What ReadAhead fetches is in the cache afterwards. Compilers have taken functions that do nothing
// but fetch for functions without effect, and left their calls out; nothing but time shows that.
#include "runtime/executor/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#if defined(__x86_64__)
#include <emmintrin.h>

namespace dynacc::executor {
namespace {

constexpr int kLines = 400;  // of 64 bytes: less than a first-level cache has
constexpr int kRounds = 50;

struct alignas(64) Line {
  const Line* next;
};

// Lines that lead from one to the other in no order that a processor could guess.
std::vector<Line> MakeChain() {
  std::vector<int> order(kLines);
  for (int i = 0; i < kLines; ++i) order[i] = i;
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  std::vector<Line> lines(kLines);
  for (int i = 0; i < kLines; ++i) lines[order[i]].next = &lines[order[(i + 1) % kLines]];
  return lines;
}

double Nanoseconds(const std::vector<Line>& lines) {
  const auto start = std::chrono::steady_clock::now();
  const Line* volatile at = lines.data();
  for (int i = 0; i < kLines; ++i) at = at->next;
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

void Flush(const std::vector<Line>& lines) {
  for (const Line& line : lines) _mm_clflush(&line);
  _mm_mfence();
}

void Fetch(const std::vector<Line>& lines) {
  ReadAhead ahead;
  ahead.Start(kLines);
  ahead.Add(reinterpret_cast<const char*>(lines.data()), kLines * sizeof(Line));
  for (int i = 0; i < kLines; i += 16) {
    ahead.Advance(16);
    _mm_mfence();
  }
}

TEST(ReadAheadTest, LinesAreInTheCacheAfterwards) {
  const std::vector<Line> lines = MakeChain();
  double flushed = 1e30, fetched = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    Flush(lines);
    flushed = std::min(flushed, Nanoseconds(lines));
    Flush(lines);
    Fetch(lines);
    fetched = std::min(fetched, Nanoseconds(lines));
  }
  EXPECT_LT(fetched, flushed / 2);
}

}  // namespace
}  // namespace dynacc::executor

#endif
