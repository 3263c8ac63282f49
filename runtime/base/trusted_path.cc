#include "runtime/base/trusted_path.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's own

absl::Status Untrusted(absl::string_view path, absl::string_view why, absl::string_view remedy) {
  return absl::PermissionDeniedError(absl::StrCat(path, " ", why, " (", remedy, ")"));
}

// Who is trusted beside this user and root, and which folders although others may write them.
struct Trusted {
  std::set<uid_t> users;
  std::set<std::pair<dev_t, ino_t>> folders;
};

absl::Status CheckOwner(const struct stat& info, absl::string_view path, const Trusted& trusted) {
  if (info.st_uid == geteuid() || info.st_uid == 0) return absl::OkStatus();
  if (trusted.users.count(info.st_uid) != 0) return absl::OkStatus();
  return Untrusted(path, absl::StrCat("belongs to another user, number ", info.st_uid),
                   "name a place of your own");
}

absl::Status CheckWriters(const struct stat& info, absl::string_view path, const Trusted& trusted) {
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return absl::OkStatus();
  if (trusted.folders.count({info.st_dev, info.st_ino}) != 0) return absl::OkStatus();
  return Untrusted(path, "may be written by others", absl::StrCat("chmod go-w ", path, " helps"));
}

// Of `folder` and all above it.
Trusted TrustedAbove(const std::string& folder) {
  Trusted trusted;
  std::error_code error;
  for (auto path = std::filesystem::canonical(folder, error); !error; path = path.parent_path()) {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) break;
    trusted.users.insert(info.st_uid);
    trusted.folders.insert({info.st_dev, info.st_ino});
    if (path == path.parent_path()) break;
  }
  return trusted;
}

// One walk from "/"; what is left to walk is a queue, as links add to it.
class Walk {
 public:
  Walk(bool makes_folders, Trusted trusted)
      : makes_folders_(makes_folders), trusted_(std::move(trusted)) {}

  absl::Status Go(const std::string& path) {
    DYNACC_RETURN_IF_ERROR(Begin(path));
    while (!parts_.empty()) {
      const std::string part = std::move(parts_.front());
      parts_.pop_front();
      if (!part.empty() && part != ".") DYNACC_RETURN_IF_ERROR(Enter(part));
    }
    return absl::OkStatus();
  }

  const struct stat& info() const { return info_; }
  const std::string& path() const { return path_; }
  const FileDescriptor& file() const { return file_; }

 private:
  absl::Status Begin(const std::string& path) {
    std::string whole = path;
    if (path.empty() || path[0] != '/') {
      char here[PATH_MAX];
      if (getcwd(here, sizeof(here)) == nullptr) return absl::ErrnoToStatus(errno, path);
      whole = absl::StrCat(here, "/", path);
    }
    Prepend(whole);
    return Root();
  }

  void Prepend(absl::string_view path) {
    const std::vector<std::string> parts = absl::StrSplit(path, '/');
    parts_.insert(parts_.begin(), parts.begin(), parts.end());
  }

  absl::Status Root() {
    path_.clear();
    return Take(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), "/");
  }

  absl::Status Take(int number, absl::string_view path) {
    if (number < 0) return absl::ErrnoToStatus(errno, path);
    file_ = FileDescriptor(number);
    if (fstat(number, &info_) != 0) return absl::ErrnoToStatus(errno, path);
    return absl::OkStatus();
  }

  // The folder that file_ is must be one in which nobody else can change an entry.
  absl::Status CheckFolder() const {
    const std::string shown = path_.empty() ? "/" : path_;
    if (!S_ISDIR(info_.st_mode)) return absl::ErrnoToStatus(ENOTDIR, shown);
    DYNACC_RETURN_IF_ERROR(CheckOwner(info_, shown, trusted_));
    return (info_.st_mode & S_ISVTX) != 0 ? absl::OkStatus() : CheckWriters(info_, shown, trusted_);
  }

  absl::Status Enter(const std::string& part) {
    DYNACC_RETURN_IF_ERROR(CheckFolder());
    const std::string path = absl::StrCat(path_, "/", part);
    constexpr int kFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    const FileDescriptor above = std::move(file_);
    int number = openat(above.get(), part.c_str(), kFlags);
    if (number < 0 && errno == ENOENT && makes_folders_) {
      // Another process may make it at the same time.
      if (mkdirat(above.get(), part.c_str(), 0700) != 0 && errno != EEXIST) {
        return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", path));
      }
      number = openat(above.get(), part.c_str(), kFlags);
    }
    DYNACC_RETURN_IF_ERROR(Take(number, path));
    if (S_ISLNK(info_.st_mode)) return Follow(above, path);
    path_ = path;
    return absl::OkStatus();
  }

  absl::Status Follow(const FileDescriptor& above, const std::string& link) {
    DYNACC_RETURN_IF_ERROR(CheckOwner(info_, link, trusted_));
    if (++links_ > kMaxLinks) return absl::ErrnoToStatus(ELOOP, link);
    char target[PATH_MAX];
    const ssize_t length = readlinkat(file_.get(), "", target, sizeof(target));
    if (length <= 0) return absl::ErrnoToStatus(length < 0 ? errno : ENOENT, link);
    Prepend(absl::string_view(target, static_cast<size_t>(length)));
    if (target[0] == '/') return Root();
    return Take(openat(above.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC), path_);
  }

  const bool makes_folders_;
  const Trusted trusted_;
  std::deque<std::string> parts_;
  std::string path_;  // of file_, without links; "" for the root
  FileDescriptor file_;
  struct stat info_ = {};
  int links_ = 0;
};

}  // namespace

absl::StatusOr<FileDescriptor> OpenOwnFolder(const std::string& path, bool makes_folders) {
  Walk walk(makes_folders, Trusted());
  DYNACC_RETURN_IF_ERROR(walk.Go(path));
  if (!S_ISDIR(walk.info().st_mode)) return absl::ErrnoToStatus(ENOTDIR, walk.path());
  if (walk.info().st_uid != geteuid()) {
    return Untrusted(walk.path(), "belongs to another user", "name a folder of your own");
  }
  DYNACC_RETURN_IF_ERROR(CheckWriters(walk.info(), walk.path(), Trusted()));
  // O_PATH gives a place, not a folder that can be listed.
  FileDescriptor folder(openat(walk.file().get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return folder;
}

absl::Status CheckTrustedFile(const std::string& path, const std::string& own_folder) {
  const Trusted trusted = own_folder.empty() ? Trusted() : TrustedAbove(own_folder);
  Walk walk(/*makes_folders=*/false, trusted);
  DYNACC_RETURN_IF_ERROR(walk.Go(path));
  if (!S_ISREG(walk.info().st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no regular file"));
  }
  DYNACC_RETURN_IF_ERROR(CheckOwner(walk.info(), walk.path(), trusted));
  return CheckWriters(walk.info(), walk.path(), trusted);
}

}  // namespace dynacc
