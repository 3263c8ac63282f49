#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/platform/container_limits.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc::platform {
namespace {

class CpuQuotaTest : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  double Quota() const { return CpuQuota(root_.path()); }

 private:
  ScratchDirectory root_;
};

TEST_F(CpuQuotaTest, NoneWhereNothingCanBeRead) { EXPECT_EQ(Quota(), 0); }

TEST_F(CpuQuotaTest, OfTheRootOfAContainer) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(Quota(), 1.5);
}

TEST_F(CpuQuotaTest, MaxIsNoLimit) {
  Write("/proc/self/cgroup", "0::/a\n");
  Write("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_EQ(Quota(), 0);
}

TEST_F(CpuQuotaTest, TheLeastOfTheGroupsAbove) {
  Write("/proc/self/cgroup", "0::/a/b/c\n");
  Write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  Write("/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  Write("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  EXPECT_EQ(Quota(), 2);
}

TEST_F(CpuQuotaTest, OfVersion1) {
  Write("/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/y\n1:name=systemd:/\n");
  Write("/sys/fs/cgroup/cpu/docker/y/cpu.cfs_quota_us", "300000\n");
  Write("/sys/fs/cgroup/cpu/docker/y/cpu.cfs_period_us", "100000\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Quota(), 3);
}

}  // namespace
}  // namespace dynacc::platform
