#include "runtime/base/trace_file.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace dynacc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class TraceFileTest : public ::testing::Test {
 protected:
  ~TraceFileTest() override { CloseTrace(); }
  const std::string path_ = ::testing::TempDir() + "/trace.json";
};

TEST_F(TraceFileTest, OffCostsNothingAndWritesNothing) {
  TraceSpan span("trace");
  EXPECT_FALSE(span);
  EXPECT_FALSE(Tracing());
  TraceMoment("break", "here");
}

TEST_F(TraceFileTest, IsCompleteAfterEachEvent) {
  ASSERT_TRUE(OpenTrace(path_, TraceLevel::kWork).ok());
  EXPECT_EQ(Read(path_), "[]\n");
  TraceSpan span("compile");
  ASSERT_TRUE(span);
  span.Begin("f \"quoted\"\n(prog.py:1)");
  std::string text = Read(path_);
  EXPECT_THAT(text, StartsWith("[\n{\"ph\":\"M\""));
  EXPECT_THAT(text, HasSubstr("f \\\"quoted\\\"\\n(prog.py:1)\""));
  EXPECT_EQ(text.substr(text.size() - 4), "}\n]\n");
  TraceMoment("break", "prog.py:2", {{"reason", "print"}});
  text = Read(path_);
  EXPECT_THAT(text, HasSubstr(R"("s":"t","args":{"reason":"print"}})"));
  EXPECT_EQ(text.substr(text.size() - 4), "}\n]\n");
  EXPECT_EQ(Count(text, "\n]"), 1);
}

TEST_F(TraceFileTest, RunsAreALevelOfTheirOwn) {
  ASSERT_TRUE(OpenTrace(path_, TraceLevel::kWork).ok());
  EXPECT_FALSE(TraceSpan("run", TraceLevel::kRuns));
  ASSERT_TRUE(OpenTrace(path_, TraceLevel::kRuns).ok());
  EXPECT_TRUE(TraceSpan("run", TraceLevel::kRuns));
}

TEST_F(TraceFileTest, ThreadsAreNamedAndEventsWhole) {
  ASSERT_TRUE(OpenTrace(path_, TraceLevel::kWork).ok());
  constexpr int kThreads = 4;
  constexpr int kSpans = 100;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < kSpans; ++k) {
        TraceSpan span("compile");
        span.Begin("work");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = Read(path_);
  EXPECT_EQ(Count(text, "\"thread_name\""), kThreads);
  EXPECT_EQ(Count(text, "\"ph\":\"B\""), kThreads * kSpans);
  EXPECT_EQ(Count(text, "\"ph\":\"E\""), kThreads * kSpans);
}

TEST_F(TraceFileTest, EndsBeforeItIsTooLarge) {
  constexpr int64_t kMost = 2000;
  ASSERT_TRUE(OpenTrace(path_, TraceLevel::kWork, kMost).ok());
  for (int i = 0; i < 100; ++i) TraceMoment("break", "here");
  EXPECT_FALSE(Tracing());
  const std::string text = Read(path_);
  EXPECT_LE(text.size(), kMost);
  EXPECT_GT(text.size(), kMost - 200);
  EXPECT_EQ(text.substr(text.size() - 4), "}\n]\n");
  ASSERT_TRUE(OpenTrace(path_, TraceLevel::kWork).ok());
  EXPECT_TRUE(Tracing());
}

TEST_F(TraceFileTest, AForkedChildWritesNothing) {
  ASSERT_TRUE(OpenTrace(path_, TraceLevel::kWork).ok());
  TraceMoment("break", "before");
  const pid_t child = fork();
  if (child == 0) {
    TraceMoment("break", "in the child");
    _exit(Tracing() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  TraceMoment("break", "after");
  EXPECT_THAT(Read(path_), HasSubstr("after"));
  EXPECT_THAT(Read(path_), Not(HasSubstr("in the child")));
}

TEST_F(TraceFileTest, WhatCannotBeWrittenIsAnError) {
  EXPECT_FALSE(OpenTrace("/no/such/folder/trace.json", TraceLevel::kWork).ok());
  EXPECT_FALSE(OpenTrace("/dev/full", TraceLevel::kWork).ok());
  EXPECT_FALSE(Tracing());
}

}  // namespace
}  // namespace dynacc
