#include "runtime/cpu/own/lapack.h"

#include <dlfcn.h>

#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace dynacc::cpu {

absl::StatusOr<std::shared_ptr<const Lapack>> Lapack::Open(const std::string& name) {
  const bool is_name = absl::StartsWith(name, "lib") && absl::StrContains(name, ".so") &&
                       name.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789._+-") == std::string::npos;
  if (!is_name) {
    return absl::InvalidArgumentError(
        "the name of a LAPACK is that of a library of the system, as liblapack.so.3");
  }
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("it needs LAPACK, from ", name, ": ", dlerror()));
  }
  const auto lapack = std::make_shared<Lapack>();
  lapack->name_ = name;
  bool has_all = true;
  const auto find = [&](const char* symbol, auto& function) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    has_all = has_all && function != nullptr;
  };
  find("dgesv_", lapack->functions_.gesv);
  find("dgetrf_", lapack->functions_.getrf);
  find("dpotrf_", lapack->functions_.potrf);
  if (!has_all) {
    return absl::UnavailableError(
        absl::StrCat(name, " is no LAPACK: it has no dgesv_ and the like"));
  }
  return lapack;
}

}  // namespace dynacc::cpu
