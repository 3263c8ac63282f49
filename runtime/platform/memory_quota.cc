#include "runtime/platform/memory_quota.h"

#include <fstream>

#include "absl/strings/numbers.h"
#include "runtime/platform/control_groups.h"

namespace dynacc {
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

}  // namespace dynacc
