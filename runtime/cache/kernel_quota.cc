#include "runtime/cache/kernel_quota.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace dynacc::cache {
namespace {

constexpr size_t kDigits = 32;          // of a ContentHash
constexpr time_t kDeadAfter = 60 * 60;  // seconds, for a file that is being written
constexpr uint64_t kBlock = 512;        // what st_blocks counts in

struct File {
  std::pair<time_t, long> changed;
  uint64_t bytes;
  std::string name;
};

bool IsOurName(absl::string_view name) {
  if (name.size() <= kDigits) return false;
  for (const char c : name.substr(0, kDigits)) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return false;
  }
  const absl::string_view rest = name.substr(kDigits);
  if (rest == ".kernel" || rest == ".cc") return true;
  return absl::EndsWith(rest, ".part") &&
         (absl::StartsWith(rest, ".kernel.") || absl::StartsWith(rest, ".cc."));
}

std::vector<File> FilesOf(DIR* directory) {
  std::vector<File> files;
  const time_t now = time(nullptr);
  while (const dirent* entry = readdir(directory)) {
    if (!IsOurName(entry->d_name)) continue;
    struct stat info;
    if (fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) continue;
    const bool is_part = absl::EndsWith(entry->d_name, ".part");
    if (is_part && now - info.st_mtime > kDeadAfter) {
      unlinkat(dirfd(directory), entry->d_name, 0);
    } else {
      files.push_back({{info.st_mtim.tv_sec, info.st_mtim.tv_nsec},
                       std::max(static_cast<uint64_t>(info.st_blocks) * kBlock,
                                static_cast<uint64_t>(info.st_size)),
                       entry->d_name});
    }
  }
  return files;
}

}  // namespace

uint64_t KeepKernelQuota(int folder, uint64_t quota, uint64_t room) {
  // A descriptor of its own: a directory stream has a place, and closes what it was given.
  const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* directory = own < 0 ? nullptr : fdopendir(own);
  if (directory == nullptr) {
    if (own >= 0) close(own);
    return 0;
  }
  const absl::Cleanup close_directory = [directory] { closedir(directory); };
  std::vector<File> files = FilesOf(directory);
  uint64_t total = 0;
  for (const File& file : files) total += file.bytes;
  if (total <= quota) return total;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.changed < b.changed; });
  for (const File& file : files) {
    if (total <= quota - std::min(room, quota)) break;
    if (absl::EndsWith(file.name, ".part")) continue;  // being written
    if (unlinkat(folder, file.name.c_str(), 0) == 0) total -= file.bytes;
  }
  return total;
}

}  // namespace dynacc::cache
