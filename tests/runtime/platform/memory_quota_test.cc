#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/platform/container_limits.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc::platform {
namespace {

class MemoryQuotaTest : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  bool Allows(int64_t bytes) const { return MemoryQuotaAllows(bytes, root_.path()); }

 private:
  ScratchDirectory root_;
};

TEST_F(MemoryQuotaTest, EverythingWhereNothingCanBeRead) { EXPECT_TRUE(Allows(1 << 30)); }

TEST_F(MemoryQuotaTest, UpToTheLimit) {
  Write("/proc/self/cgroup", "0::/a\n");
  Write("/sys/fs/cgroup/a/memory.max", "1000\n");
  Write("/sys/fs/cgroup/a/memory.current", "600\n");
  EXPECT_TRUE(Allows(400));
  EXPECT_FALSE(Allows(401));
}

TEST_F(MemoryQuotaTest, MaxIsNoLimit) {
  Write("/proc/self/cgroup", "0::/a\n");
  Write("/sys/fs/cgroup/a/memory.max", "max\n");
  Write("/sys/fs/cgroup/a/memory.current", "600\n");
  EXPECT_TRUE(Allows(1 << 30));
}

TEST_F(MemoryQuotaTest, OfTheGroupsAbove) {
  Write("/proc/self/cgroup", "0::/a/b\n");
  Write("/sys/fs/cgroup/a/memory.max", "1000\n");
  Write("/sys/fs/cgroup/a/memory.current", "900\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "1000\n");
  Write("/sys/fs/cgroup/a/b/memory.current", "100\n");
  EXPECT_TRUE(Allows(100));
  EXPECT_FALSE(Allows(200));
}

TEST_F(MemoryQuotaTest, PagesOfFilesAreRoom) {
  Write("/proc/self/cgroup", "0::/a\n");
  Write("/sys/fs/cgroup/a/memory.max", "1000\n");
  Write("/sys/fs/cgroup/a/memory.current", "900\n");
  Write("/sys/fs/cgroup/a/memory.stat", "anon 500\ninactive_file 300\nactive_file 100\nshmem 7\n");
  EXPECT_TRUE(Allows(500));
  EXPECT_FALSE(Allows(501));
}

TEST_F(MemoryQuotaTest, OfVersion1) {
  Write("/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/y\n0::/z\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
  Write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000\n");
  Write("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "900\n");
  Write("/sys/fs/cgroup/memory/x/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n");
  EXPECT_TRUE(Allows(300));
  EXPECT_FALSE(Allows(301));
}

}  // namespace
}  // namespace dynacc::platform
