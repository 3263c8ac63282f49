#include "runtime/cache/kernel_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/clock.h"
#include "runtime/base/status_macros.h"
#include "runtime/cache/kernel_quota.h"

namespace dynacc::cache {
namespace {

constexpr char kMagic[8] = {'D', 'y', 'n', 'a', 'C', 'C', 'k', '\n'};
constexpr uint32_t kFormatVersion = 1;
constexpr uint64_t kMaxBinary = 256 << 20;
constexpr time_t kRenewedAfter = 24 * 60 * 60;  // seconds

struct Header {
  char magic[8];
  uint32_t format_version;
  uint32_t header_size;
  ContentHash key;
  ContentHash checksum;
  uint64_t binary_size;
};

// Whether only this user can have written it.
bool IsOurs(const struct stat& info) {
  return info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool Fits(const Header& header, const ContentHash& key, uint64_t file_size) {
  return std::memcmp(header.magic, kMagic, sizeof(kMagic)) == 0 &&
         header.format_version == kFormatVersion && header.header_size == sizeof(Header) &&
         header.key == key && header.binary_size <= kMaxBinary &&
         file_size == sizeof(Header) + header.binary_size;
}

// Writes a file of the folder under another name, and puts it in the place of what has its name.
absl::Status Replace(const FileDescriptor& folder, const std::string& name, absl::string_view head,
                     absl::string_view body) {
  static std::atomic<uint64_t> serial = 0;
  const std::string part = absl::StrCat(name, ".", getpid(), ".", serial++, ".part");
  const int file = openat(folder.get(), part.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", part));
  const bool written = WriteAll(file, head) && WriteAll(file, body);
  const int write_error = errno;
  const bool closed = close(file) == 0;
  if (written && closed && renameat(folder.get(), part.c_str(), folder.get(), name.c_str()) == 0) {
    return absl::OkStatus();
  }
  const int error = written ? errno : write_error;
  unlinkat(folder.get(), part.c_str(), 0);
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", name));
}

}  // namespace

// The first look comes after a part of the bytes between two that is left to chance (a clock's last
// digits): it is a process's share in a round of looks that all processes go.
KernelDirectory::KernelDirectory(std::string path, uint64_t quota)
    : path_(std::move(path)),
      quota_(quota),
      until_look_(static_cast<uint64_t>(NowNanoseconds()) %
                  std::max<uint64_t>(BytesBetweenLooks(), 1)) {}

absl::StatusOr<std::unique_ptr<KernelDirectory>> KernelDirectory::Open(const std::string& path,
                                                                       uint64_t quota) {
  DYNACC_RETURN_IF_ERROR(OpenOwnFolder(path).status());
  std::error_code error;  // the program may go to another folder
  std::string absolute = std::filesystem::absolute(path, error).string();
  if (error) return absl::ErrnoToStatus(error.value(), path);
  return std::unique_ptr<KernelDirectory>(new KernelDirectory(std::move(absolute), quota));
}

std::optional<std::string> KernelDirectory::Find(const ContentHash& key) const {
  const auto folder = OpenOwnFolder(path_, /*makes_folders=*/false);
  if (!folder.ok()) return std::nullopt;
  const FileDescriptor descriptor(
      openat(folder->get(), FileName(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor.is_open()) return std::nullopt;
  const int file = descriptor.get();
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !IsOurs(info)) return std::nullopt;
  Header header;
  if (!ReadAll(file, &header, sizeof(header))) return std::nullopt;
  if (!Fits(header, key, static_cast<uint64_t>(info.st_size))) return std::nullopt;
  std::string binary(header.binary_size, '\0');
  if (!ReadAll(file, binary.data(), binary.size())) return std::nullopt;
  if (!(HashContent(binary) == header.checksum)) return std::nullopt;
  // The quota takes the oldest first: what is in use is made young again, once a day.
  if (time(nullptr) - info.st_mtime > kRenewedAfter) futimens(file, nullptr);
  return binary;
}

absl::Status KernelDirectory::Store(const ContentHash& key, absl::string_view binary,
                                    absl::string_view source) const {
  if (binary.size() > kMaxBinary || binary.size() + source.size() > quota_) {
    return absl::ResourceExhaustedError("a module is larger than what the folder may hold");
  }
  DYNACC_ASSIGN_OR_RETURN(const FileDescriptor folder,
                          OpenOwnFolder(path_, /*makes_folders=*/false));
  KeepQuota(folder, binary.size() + source.size());
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.format_version = kFormatVersion;
  header.header_size = sizeof(Header);
  header.key = key;
  header.checksum = HashContent(binary);
  header.binary_size = binary.size();
  if (!source.empty()) DYNACC_RETURN_IF_ERROR(Replace(folder, key.Hex() + ".cc", source, ""));
  return Replace(folder, FileName(key),
                 absl::string_view(reinterpret_cast<const char*>(&header), sizeof(header)), binary);
}

// Looks each time that this process has stored so much.
void KernelDirectory::KeepQuota(const FileDescriptor& folder, uint64_t added) const {
  uint64_t left = until_look_.load(std::memory_order_relaxed);
  while (left > added) {
    if (until_look_.compare_exchange_weak(left, left - added)) return;
  }
  KeepKernelQuota(folder.get(), quota_ - added, BytesBetweenLooks());
  until_look_ = BytesBetweenLooks();
}

std::string KernelDirectoryPath(const std::string& option, const char* xdg_cache_home,
                                const char* home) {
  if (!option.empty()) return option;
  // The XDG specification: a path that is not absolute is ignored.
  if (xdg_cache_home != nullptr && *xdg_cache_home == '/') {
    return absl::StrCat(xdg_cache_home, "/dynacc");
  }
  if (home != nullptr && *home == '/') return absl::StrCat(home, "/.cache/dynacc");
  return "";
}

}  // namespace dynacc::cache
