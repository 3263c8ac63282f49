#include "runtime/platform/container_limits.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dynacc::platform {

std::string FirstLine(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

void ForEachControlGroup(const std::string& root, absl::string_view controller,
                         absl::FunctionRef<void(const std::string& folder, int version)> visit) {
  std::ifstream groups(root + "/proc/self/cgroup");
  // "0::/system.slice/a.service" for version 2, "4:cpu,cpuacct:/docker/b" for version 1.
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    std::string mount = root + "/sys/fs/cgroup";
    const int version = fields[0] == "0" && fields[1].empty() ? 2 : 1;
    if (version == 1) {
      const std::string among = absl::StrCat(",", fields[1], ",");
      if (!absl::StrContains(among, absl::StrCat(",", controller, ","))) continue;
      absl::StrAppend(&mount, "/", controller);
    }
    for (std::string path = fields[2];;) {
      visit(mount + path, version);
      if (path.empty()) break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
}

namespace {

// Of texts as the kernel writes them: "max" and -1 are no limit.
double Quota(const std::string& quota, const std::string& period) {
  const double time = std::atof(quota.c_str()), every = std::atof(period.c_str());
  return time > 0 && every > 0 ? time / every : 0;
}

double QuotaOf(const std::string& folder, int version) {
  if (version == 1) {
    return Quota(FirstLine(folder + "/cpu.cfs_quota_us"), FirstLine(folder + "/cpu.cfs_period_us"));
  }
  std::istringstream text(FirstLine(folder + "/cpu.max"));  // "200000 100000"
  std::string quota, period;
  text >> quota >> period;
  return Quota(quota, period);
}

}  // namespace

double CpuQuota(const std::string& root) {
  double least = 0;
  ForEachControlGroup(root, "cpu", [&least](const std::string& folder, int version) {
    const double quota = QuotaOf(folder, version);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
  });
  return least;
}

namespace {

// A number of bytes; -1 for "max", or without such a file.
int64_t Bytes(const std::string& path) {
  int64_t bytes;
  return absl::SimpleAtoi(FirstLine(path), &bytes) ? bytes : -1;
}

// Of a group and those below it.
int64_t PagesOfFiles(const std::string& folder, int version) {
  const std::string prefix = version == 1 ? "total_" : "";
  std::ifstream rows(folder + "/memory.stat");
  int64_t sum = 0, bytes;
  for (std::string name; rows >> name >> bytes;) {
    if (name == prefix + "active_file" || name == prefix + "inactive_file") sum += bytes;
  }
  return sum;
}

bool Allows(const std::string& folder, int version, int64_t bytes) {
  const bool is_first = version == 1;
  const int64_t most = Bytes(folder + (is_first ? "/memory.limit_in_bytes" : "/memory.max"));
  const int64_t used = Bytes(folder + (is_first ? "/memory.usage_in_bytes" : "/memory.current"));
  if (most < 0 || used < 0 || used <= most - bytes) return true;
  return used - PagesOfFiles(folder, version) <= most - bytes;
}

}  // namespace

bool MemoryQuotaAllows(int64_t bytes, const std::string& root) {
  bool allows = true;
  ForEachControlGroup(root, "memory", [&](const std::string& folder, int version) {
    allows = allows && Allows(folder, version, bytes);
  });
  return allows;
}

}  // namespace dynacc::platform
