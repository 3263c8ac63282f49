#include "runtime/platform/cpu_level.h"

#include "gtest/gtest.h"

namespace dynacc::platform {
namespace {

TEST(CpuLevel, KnowsOnlyLevels) {
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCpuLevel("")));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCpuLevel("native")));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCpuLevel("x86-64-v9")));
}

TEST(CpuLevel, ALevelIncludesThoseBelow) {
  const bool v2 = CheckCpuLevel("x86-64-v2").ok(), v3 = CheckCpuLevel("x86-64-v3").ok();
  EXPECT_TRUE(v2 || !v3);
  EXPECT_TRUE(v3 || !CheckCpuLevel("x86-64-v4").ok());
}

TEST(CpuLevel, TheMessageNamesWhatThereIs) {
  if (!CheckCpuLevel("x86-64-v2").ok()) GTEST_SKIP() << "a CPU older than SSE4.2";
  EXPECT_NE(CheckCpuLevel("pentium").message().find("x86-64-v2"), absl::string_view::npos);
}

}  // namespace
}  // namespace dynacc::platform
