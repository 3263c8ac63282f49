#include "runtime/platform/core_load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/runtime/base/scratch_directory.h"

namespace dynacc::platform {
namespace {

int Runnable(const std::string& text) {
  const ScratchDirectory root;
  std::filesystem::create_directory(root.path() + "/proc");
  std::ofstream(root.path() + "/proc/loadavg") << text;
  return RunnableThreads(root.path());
}

TEST(CoreLoad, ReadsTheFourthField) {
  EXPECT_EQ(Runnable("0.31 0.20 0.18 3/412 9123\n"), 3);
  EXPECT_EQ(Runnable("12.00 10.20 8.18 27/1412 99123\n"), 27);
}

TEST(CoreLoad, NothingKnownIsNothingRunning) {
  EXPECT_EQ(Runnable(""), 0);
  EXPECT_EQ(Runnable("0.31 0.20"), 0);
  EXPECT_EQ(RunnableThreads("/no/such/folder"), 0);
}

TEST(CoreLoad, ThisThreadRuns) {
  EXPECT_GE(RunnableThreads(""), 1);
  EXPECT_GE(OnlineCores(), 1);
}

}  // namespace
}  // namespace dynacc::platform
