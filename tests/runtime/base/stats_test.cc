#include "runtime/base/stats.h"

#include <fstream>
#include <iterator>
#include <thread>

#include "gmock/gmock.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc {
namespace {

using testing::HasSubstr;
using testing::Pair;

uint64_t ValueOf(const std::string& counter) {
  for (const auto& [name, value] : CounterValues()) {
    if (name == counter) return value;
  }
  ADD_FAILURE() << "no counter " << counter;
  return 0;
}

TEST(Stats, CountsByOneOrMore) {
  const uint64_t before = ValueOf("bytes_read");
  Count(ThreadStats().bytes_read);
  Count(ThreadStats().bytes_read, 41);
  EXPECT_EQ(ValueOf("bytes_read"), before + 42);
}

TEST(Stats, WhatThreadsCountedOutlivesThem) {
  const uint64_t before = ValueOf("bytes_read");
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int count = 0; count < 1000; ++count) Count(ThreadStats().bytes_read, 2);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(ValueOf("bytes_read"), before + 24'000);
}

TEST(Stats, BreaksComeMostFrequentFirstThenByName) {
  for (int i = 0; i < 3; ++i) CountBreak("stats_test b");
  CountBreak("stats_test c");
  CountBreak("stats_test a");
  const auto counts = BreakCounts();
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_THAT(counts[0], Pair("stats_test b", 3));
  EXPECT_THAT(counts[1], Pair("stats_test a", 1));
  EXPECT_THAT(counts[2], Pair("stats_test c", 1));
}

TEST(Stats, JsonEscapesReasons) {
  CountBreak("say \"no\" \\ \n");
  EXPECT_THAT(StatsJson(), HasSubstr(R"("say \"no\" \\ \n":1)"));
}

TEST(Stats, TheTimerAddsToCompileSeconds) {
  const uint64_t before = ProcessStats().compile_nanoseconds;
  { const CompileTimer timer; }
  EXPECT_GE(ProcessStats().compile_nanoseconds, before);
}

TEST(Stats, WritesOneObjectAndReplacesTheFile) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/stats.json";
  std::ofstream(path) << std::string(10'000, 'x');
  ASSERT_TRUE(WriteStats(path).ok());
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, StatsJson());
}

TEST(Stats, AnUnwritableFileIsAnErrorThatNamesIt) {
  const std::string path = testing::TempDir() + "/no such folder/stats.json";
  const absl::Status status = WriteStats(path);
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write " + path));
}

}  // namespace
}  // namespace dynacc
