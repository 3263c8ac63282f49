#include "runtime/kernel/kernel_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr char kMagic[8] = {'D', 'y', 'n', 'a', 'C', 'C', 'k', '\n'};
constexpr uint32_t kFormatVersion = 1;
constexpr uint64_t kMaxBinary = 256 << 20;

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

absl::Status MakeDirectories(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", part));
    }
    if (end == std::string::npos) return absl::OkStatus();
  }
}

bool ReadAll(int file, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(int file, absl::string_view data) {
  while (!data.empty()) {
    const ssize_t put = write(file, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    data.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

bool Fits(const Header& header, const ContentHash& key, uint64_t file_size) {
  return std::memcmp(header.magic, kMagic, sizeof(kMagic)) == 0 &&
         header.format_version == kFormatVersion && header.header_size == sizeof(Header) &&
         header.key == key && header.binary_size <= kMaxBinary &&
         file_size == sizeof(Header) + header.binary_size;
}

}  // namespace

absl::StatusOr<std::unique_ptr<KernelDirectory>> KernelDirectory::Open(const std::string& path) {
  DYNACC_RETURN_IF_ERROR(MakeDirectories(path));
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::unique_ptr<KernelDirectory> directory(new KernelDirectory(descriptor));
  struct stat info;
  if (fstat(descriptor, &info) != 0) return absl::ErrnoToStatus(errno, path);
  if (!IsOurs(info)) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, " belongs to another user or may be written by others"));
  }
  return directory;
}

KernelDirectory::~KernelDirectory() { close(descriptor_); }

std::optional<std::string> KernelDirectory::Find(const ContentHash& key) const {
  const int file =
      openat(descriptor_, FileName(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const absl::Cleanup close_file = [file] { close(file); };
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !IsOurs(info)) return std::nullopt;
  Header header;
  if (!ReadAll(file, &header, sizeof(header))) return std::nullopt;
  if (!Fits(header, key, static_cast<uint64_t>(info.st_size))) return std::nullopt;
  std::string binary(header.binary_size, '\0');
  if (!ReadAll(file, binary.data(), binary.size())) return std::nullopt;
  if (!(HashContent(binary) == header.checksum)) return std::nullopt;
  return binary;
}

absl::Status KernelDirectory::Store(const ContentHash& key, absl::string_view binary,
                                    absl::string_view source) const {
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.format_version = kFormatVersion;
  header.header_size = sizeof(Header);
  header.key = key;
  header.checksum = HashContent(binary);
  header.binary_size = binary.size();
  DYNACC_RETURN_IF_ERROR(Replace(key.Hex() + ".cc", source, ""));
  return Replace(FileName(key),
                 absl::string_view(reinterpret_cast<const char*>(&header), sizeof(header)), binary);
}

absl::Status KernelDirectory::Replace(const std::string& name, absl::string_view head,
                                      absl::string_view body) const {
  static std::atomic<uint64_t> serial = 0;
  const std::string part = absl::StrCat(name, ".", getpid(), ".", serial++, ".part");
  const int file =
      openat(descriptor_, part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", part));
  const bool written = WriteAll(file, head) && WriteAll(file, body);
  const int write_error = errno;
  const bool closed = close(file) == 0;
  if (written && closed && renameat(descriptor_, part.c_str(), descriptor_, name.c_str()) == 0) {
    return absl::OkStatus();
  }
  const int error = written ? errno : write_error;
  unlinkat(descriptor_, part.c_str(), 0);
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", name));
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

}  // namespace dynacc
