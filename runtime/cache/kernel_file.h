// KernelDirectory: compiled kernel modules on disk, one file each, within a quota.
//
// The files hold code that is run, so they are only used in a folder that nobody but this user and
// root can change, path and all (runtime/base/trusted_path.h), and only if they are regular files
// of this user's that no one else may write. The folder is opened for each look and each store, and
// files through its descriptor; symbolic links are not followed. No descriptor stays open in
// between: the numbers of open files are the program's, which may print them, and may close all of
// them and open others by the same numbers. A file begins with a header of fixed size: magic,
// format version, the key, the size and a checksum of the binary that follows. It is read into
// memory first and compared there, so that nobody can change it between check and use; anything
// that does not fit is treated as absent and replaced by the next Store. The module's source, if it
// has one, is kept beside the binary, as <key>.cc, for people to read.
//
// Files are written under another name, which must be new, and renamed, so any number of processes
// may share a directory, and a link that stands in the place of a file is replaced, not written
// through.
//
// The quota: when a Store finds that the directory's own files take more, those are deleted that
// were not used for longest, until there is room for what is stored up to the next look; so are the
// remains of writers that died. More at once would stop a program for long: a disk that is busy
// takes milliseconds for each file. To look takes a system call for each file, some 100 ms in a
// full directory. So of many processes that store a little each, as many look as of one that stores
// all of it: about one for every kBytesBetweenLooks, which the directory may be above the quota for
// a while. Files of other names are left alone, and not counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/trusted_path.h"
#include "runtime/cache/content_hash.h"

namespace dynacc::cache {

inline constexpr char kKernelFileEnding[] = ".kernel";
inline constexpr uint64_t kKernelDirectoryQuota = uint64_t{512} << 20;  // bytes
inline constexpr uint64_t kBytesBetweenLooks = uint64_t{4} << 20;

class KernelDirectory {
 public:
  // Opens `path`, making it (for this user alone) and the directories above it where they are
  // missing. PERMISSION_DENIED, saying what helps, if it is not this user's or others may change
  // it.
  static absl::StatusOr<std::unique_ptr<KernelDirectory>> Open(
      const std::string& path, uint64_t quota = kKernelDirectoryQuota);
  KernelDirectory(const KernelDirectory&) = delete;
  KernelDirectory& operator=(const KernelDirectory&) = delete;

  // The binary stored under `key`, verified; nothing if there is none that can be trusted.
  std::optional<std::string> Find(const ContentHash& key) const;

  // Stores a module, replacing what there was. RESOURCE_EXHAUSTED if it is larger than the quota,
  // or on a full disk.
  absl::Status Store(const ContentHash& key, absl::string_view binary,
                     absl::string_view source) const;

  static std::string FileName(const ContentHash& key) { return key.Hex() + kKernelFileEnding; }

 private:
  KernelDirectory(std::string path, uint64_t quota);
  void KeepQuota(const FileDescriptor& folder, uint64_t added) const;
  uint64_t BytesBetweenLooks() const { return std::min(kBytesBetweenLooks, quota_ / 4); }

  const std::string path_;  // absolute
  const uint64_t quota_;
  mutable std::atomic<uint64_t> until_look_;  // bytes to be stored before the next look
};

// Where kernels are kept: `option` if it is not empty, else $XDG_CACHE_HOME/dynacc, else
// ~/.cache/dynacc; "" if none of these is known.
std::string KernelDirectoryPath(const std::string& option, const char* xdg_cache_home,
                                const char* home);

}  // namespace dynacc::cache
