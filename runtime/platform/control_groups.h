// The control groups that a process is in, as containers limit it (Linux, cgroup-v2.rst and
// cgroup-v1).
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace dynacc {

// Calls `visit` with the folder of each group of the process in which `controller` ("cpu",
// "memory") may have a limit, and of those above it, and with the version, 1 or 2, of their files.
// `root`: of the file system, "" for the real one.
void ForEachControlGroup(const std::string& root, absl::string_view controller,
                         absl::FunctionRef<void(const std::string& folder, int version)> visit);

// The first line of a file of a group; "" if there is none.
std::string FirstLine(const std::string& path);

}  // namespace dynacc
