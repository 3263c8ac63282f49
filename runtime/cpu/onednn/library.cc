#include "runtime/cpu/onednn/library.h"

#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/shared_library.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cpu {

#ifdef DYNACC_HAS_ONEDNN

namespace {

std::atomic<bool> is_opened = false;

// A wheel brings its own, in the package beside the extension module.
std::string LibraryName() {
  const std::string& named = ProcessOptions().onednn_library;
  if (!named.empty()) return named;
  const std::string usual = absl::StrCat("libdnnl.so.", DNNL_VERSION_MAJOR);
  const std::string own = absl::StrCat(OwnFolder(), "/dynacc/", usual);
  std::error_code ignored;
  return std::filesystem::exists(own, ignored) ? own : usual;
}

template <typename Function>
absl::Status Resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("oneDNN has no ", name));
}

// Of OpenMP's libraries there may be several in the process: the one that oneDNN calls is that
// which all programs see, if there is such a one, before that which came with it.
template <typename Function>
absl::Status ResolveOpenMp(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr ? absl::OkStatus() : Resolve(library, name, function);
}

absl::Status ResolveAll(void* library, OneDnn& functions) {
#define DYNACC_ONEDNN_FUNCTION(name) \
  DYNACC_RETURN_IF_ERROR(Resolve(library, "dnnl_" #name, functions.name));
#include "runtime/cpu/onednn/functions.def"
#undef DYNACC_ONEDNN_FUNCTION
  DYNACC_RETURN_IF_ERROR(
      ResolveOpenMp(library, "omp_get_max_threads", functions.omp_get_max_threads));
  return ResolveOpenMp(library, "omp_set_num_threads", functions.omp_set_num_threads);
}

std::string VersionText(const dnnl_version_t& version) {
  return absl::StrCat(version.major, ".", version.minor, ".", version.patch);
}

absl::StatusOr<OneDnn> Open() {
  const std::string name = LibraryName();
  absl::StatusOr<void*> found = OpenSharedLibrary(name);
  if (!found.ok() && ProcessOptions().onednn_library.empty()) {  // as Debian 13 names it
    const auto by_minor = OpenSharedLibrary(absl::StrCat(name, ".", DNNL_VERSION_MINOR));
    if (by_minor.ok()) found = by_minor;
  }
  if (!found.ok()) {
    return absl::UnavailableError(absl::StrCat("cannot open oneDNN: ", found.status().message()));
  }
  void* const library = *found;
  OneDnn functions;
  DYNACC_RETURN_IF_ERROR(ResolveAll(library, functions));
  const dnnl_version_t& version = *functions.version();
  if (version.major != DNNL_VERSION_MAJOR || version.cpu_runtime != DNNL_RUNTIME_OMP) {
    return absl::UnavailableError(absl::StrCat("oneDNN ", VersionText(version), " in ", name,
                                               " is of another version or threading"));
  }
  const OneThread alone(functions);
  DYNACC_RETURN_IF_ERROR(
      OneDnnError(functions.engine_create(&functions.engine, dnnl_cpu, 0), "engine_create"));
  is_opened = true;
  return functions;
}

absl::StatusOr<OneDnn> OpenAndLog() {
  absl::StatusOr<OneDnn> opened = Open();
  if (LogEnabled(LogTopic::kKernels)) {
    Log(LogTopic::kKernels, opened.ok()
                                ? absl::StrCat("opened oneDNN ", VersionText(*opened->version()))
                                : absl::StrCat(std::string(opened.status().message()),
                                               "; products are the array library's"));
  }
  return opened;
}

const absl::StatusOr<OneDnn>& Opened() {
  static const auto& opened = *new absl::StatusOr<OneDnn>(OpenAndLog());
  return opened;
}

}  // namespace

const absl::Status& OneDnnStatus() { return Opened().status(); }

const OneDnn* TheOneDnn() { return Opened().ok() ? &*Opened() : nullptr; }

absl::Status OneDnnError(dnnl_status_t status, const char* function) {
  if (status == dnnl_success) return absl::OkStatus();
  const std::string message = absl::StrCat("oneDNN's ", function, ": status ", status);
  return status == dnnl_out_of_memory ? absl::ResourceExhaustedError(message)
                                      : absl::UnavailableError(message);
}

std::string OneDnnSummary() {
  if (!is_opened) return absl::StrCat(LibraryName(), ", not opened yet");
  return absl::StrCat(VersionText(*TheOneDnn()->version()), ", ", LibraryName());
}

#else  // without its headers

const absl::Status& OneDnnStatus() {
  static const auto& status =
      *new absl::Status(absl::UnavailableError("built without oneDNN's headers"));
  return status;
}

std::string OneDnnSummary() { return std::string(OneDnnStatus().message()); }

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
