// Opening shared libraries that the environment names, which are code from outside.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace dynacc {

// The folder of the file that this code was loaded from: an executable or a library. "." if
// unknown.
std::string OwnFolder();

// Opens a library (RTLD_NOW, RTLD_LOCAL): by a path, if `name` has a slash, else where the loader
// finds it. A path must be one that nobody can change (trusted_path.h) but this user, root, and
// whoever can change DynaCC's own file anyway. Errors: PERMISSION_DENIED with what cannot be
// trusted and what helps; UNAVAILABLE with the loader's reason.
absl::StatusOr<void*> OpenSharedLibrary(const std::string& name);

}  // namespace dynacc
