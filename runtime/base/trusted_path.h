// Paths that nobody but this user and root can change.
//
// A path is walked from "/" on, component by component, each opened from the one before and looked
// at through its descriptor. Every folder on the way must belong to this user (the effective one)
// or to root, and must not be writable by its group or by others, except where the sticky bit keeps
// users from each other's files, as in /tmp. Symbolic links are followed if they belong to this
// user or root; what they lead to is walked in the same way. So no one else can exchange a part of
// the path, neither before the walk, nor during it, nor afterwards: there is no time of check and
// time of use.
//
// Thread-safe.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/file_descriptor.h"

namespace dynacc {

// The folder at `path`, for openat. It must belong to this user (root's will not do) and be
// writable by nobody else. Folders that are missing on the way are made, for this user alone, if
// `makes_folders`. Errors: PERMISSION_DENIED with the part that cannot be trusted, why, and what
// helps; else what the system says.
absl::StatusOr<FileDescriptor> OpenOwnFolder(const std::string& path, bool makes_folders = true);

// Whether the file at `path` may be loaded as code: a regular file of this user's or root's, which
// nobody else may write, at a path as above. Whoever could change `own_folder`, where DynaCC's own
// file is, is trusted, too: the folders on its path are, and their owners. "" names none. Errors:
// as above; NOT_FOUND if there is no such file.
absl::Status CheckTrustedFile(const std::string& path, const std::string& own_folder = "");

}  // namespace dynacc
