#include "runtime/platform/control_groups.h"

#include <fstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dynacc {

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

}  // namespace dynacc
