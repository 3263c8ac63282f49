#include "runtime/base/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

#include "runtime/base/trusted_path.h"

namespace dynacc {

// The loader names the executable itself as it was started, which need not be a path; the kernel
// knows better.
std::string OwnFolder() {
  Dl_info info;
  link_map* map = nullptr;
  const int found = dladdr1(reinterpret_cast<void*>(&OwnFolder), &info,
                            reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  std::error_code ignored;
  const std::filesystem::path path = found == 0 || map == nullptr || *map->l_name == '\0'
                                         ? std::filesystem::read_symlink("/proc/self/exe", ignored)
                                         : std::filesystem::path(map->l_name);
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

absl::StatusOr<void*> OpenSharedLibrary(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    // What else is wrong with it, if it is not there, say, the loader tells.
    const absl::Status trusted = CheckTrustedFile(name, OwnFolder());
    if (absl::IsPermissionDenied(trusted)) return trusted;
  }
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  return absl::UnavailableError(dlerror());
}

}  // namespace dynacc
