#include "runtime/base/process_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace dynacc {
namespace {

TEST(ProcessFileTest, AFileIsItself) {
  EXPECT_EQ(FileOfProcess("/some/where.json"), "/some/where.json");
  EXPECT_EQ(FileOfProcess(""), "");
}

TEST(ProcessFileTest, AFolderHasAFileOfTheProcess) {
  EXPECT_EQ(FileOfProcess("/some/"), "/some/" + std::to_string(getpid()) + ".json");
}

}  // namespace
}  // namespace dynacc
