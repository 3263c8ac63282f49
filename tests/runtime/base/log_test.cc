#include "runtime/base/log.h"

#include <string>

#include "gmock/gmock.h"

namespace dynacc {
namespace {

using testing::HasSubstr;

class LogTest : public testing::Test {
 protected:
  LogTest() {
    SetLogSink([this](absl::string_view text) { written_.append(text.data(), text.size()); });
  }
  ~LogTest() override { SetLogSink(nullptr); }

  std::string written_;
};

TEST_F(LogTest, TopicsAreOffUntilConfigured) {
  EXPECT_FALSE(LogEnabled(LogTopic::kGuards));
  EXPECT_TRUE(ConfigureLogs("guards,+kernels").ok());
  EXPECT_TRUE(LogEnabled(LogTopic::kGuards));
  EXPECT_FALSE(LogEnabled(LogTopic::kGuards, 2));
  EXPECT_TRUE(LogEnabled(LogTopic::kKernels, 2));
}

TEST_F(LogTest, AnUnknownTopicIsNamedAndTheOthersAreSet) {
  const absl::Status status = ConfigureLogs("nonsense,schedule");
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no topic named nonsense; there are"));
  EXPECT_TRUE(LogEnabled(LogTopic::kSchedule));
}

TEST_F(LogTest, EveryLineHasThePrefix) {
  Log(LogTopic::kGraph, "one\ntwo\n");
  EXPECT_EQ(written_, "dynacc[graph] one\ndynacc[graph] two\n");
}

TEST_F(LogTest, WarnsOnceForAKey) {
  WarnOnce("log_test", "first");
  WarnOnce("log_test", "second");
  WarnOnce("log_test.other", "third");
  EXPECT_EQ(written_, "dynacc: warning: first\ndynacc: warning: third\n");
}

}  // namespace
}  // namespace dynacc
