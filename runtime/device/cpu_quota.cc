#include "runtime/device/cpu_quota.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace dynacc {
namespace {

std::string FirstLine(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

// Of texts as the kernel writes them: "max" and -1 are no limit.
double Quota(const std::string& quota, const std::string& period) {
  const double time = std::atof(quota.c_str()), every = std::atof(period.c_str());
  return time > 0 && every > 0 ? time / every : 0;
}

double QuotaOfVersion2(const std::string& folder) {
  std::istringstream text(FirstLine(folder + "/cpu.max"));  // "200000 100000"
  std::string quota, period;
  text >> quota >> period;
  return Quota(quota, period);
}

double QuotaOfVersion1(const std::string& folder) {
  return Quota(FirstLine(folder + "/cpu.cfs_quota_us"), FirstLine(folder + "/cpu.cfs_period_us"));
}

// The least of the groups from `path` up to `mount` itself.
double LeastQuota(const std::string& mount, std::string path,
                  double (*quota_of)(const std::string&)) {
  double least = 0;
  for (;;) {
    const double quota = quota_of(mount + path);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
    if (path.empty()) return least;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

}  // namespace

double CpuQuota(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  double least = 0;
  // "0::/system.slice/a.service" for version 2, "4:cpu,cpuacct:/docker/b" for version 1.
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const std::string mount = root + "/sys/fs/cgroup";
    double quota = 0;
    if (fields[0] == "0" && fields[1].empty()) {
      quota = LeastQuota(mount, fields[2], QuotaOfVersion2);
    } else if (absl::StrContains("," + fields[1] + ",", ",cpu,")) {
      quota = LeastQuota(mount + "/cpu", fields[2], QuotaOfVersion1);
    }
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
  }
  return least;
}

}  // namespace dynacc
