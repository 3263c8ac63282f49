// KernelDirectory: compiled kernel modules on disk, one file each.
//
// The files hold code that is run, so a file is only used if it is a regular file that this user
// owns and no one else may write, in a directory of which the same holds (symbolic links to files
// are not followed). A file begins with a header of fixed size: magic, format version, the key,
// the size and a checksum of the binary that follows; anything that does not fit is treated as
// absent and replaced by the next Store. Files are written under another name and renamed, so any
// number of processes may share a directory. The module's source is kept beside the binary, as
// <key>.cc, for people to read.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/kernel/content_hash.h"

namespace dynacc {

inline constexpr char kKernelFileEnding[] = ".kernel";

class KernelDirectory {
 public:
  // Opens `path`, making it (for this user alone) and the directories above it where they are
  // missing. PERMISSION_DENIED if it is not this user's or others may write it.
  static absl::StatusOr<std::unique_ptr<KernelDirectory>> Open(const std::string& path);
  ~KernelDirectory();
  KernelDirectory(const KernelDirectory&) = delete;
  KernelDirectory& operator=(const KernelDirectory&) = delete;

  // The binary stored under `key`, verified; nothing if there is none that can be trusted.
  std::optional<std::string> Find(const ContentHash& key) const;

  // Stores a module, replacing what there was.
  absl::Status Store(const ContentHash& key, absl::string_view binary,
                     absl::string_view source) const;

  static std::string FileName(const ContentHash& key) { return key.Hex() + kKernelFileEnding; }

 private:
  explicit KernelDirectory(int descriptor) : descriptor_(descriptor) {}
  absl::Status Replace(const std::string& name, absl::string_view head,
                       absl::string_view body) const;

  int descriptor_;
};

// Where kernels are kept: `option` if it is not empty, else $XDG_CACHE_HOME/dynacc, else
// ~/.cache/dynacc; "" if none of these is known.
std::string KernelDirectoryPath(const std::string& option, const char* xdg_cache_home,
                                const char* home);

}  // namespace dynacc
