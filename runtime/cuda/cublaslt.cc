#include "runtime/cuda/cublaslt.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/shared_library.h"

namespace dynacc::cuda {
namespace {

constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

absl::StatusOr<CublasLt> OpenChosen() {
  const Options& options = ProcessOptions();
  if (options.cublaslt == "0") return absl::UnavailableError("DYNACC_CUBLASLT is 0");
  if (!options.cublaslt.empty()) return CublasLt::Open(options.cublaslt);
  if (!options.cuda_driver.empty()) {
    return absl::UnavailableError("cuBLASLt calls the system's driver, not DYNACC_CUDA_DRIVER");
  }
  absl::StatusOr<CublasLt> opened;
  for (const char* const name : kNames) {
    opened = CublasLt::Open(name);
    if (opened.ok()) break;
  }
  return opened;
}

absl::StatusOr<CublasLt> OpenAndLog() {
  absl::StatusOr<CublasLt> opened = OpenChosen();
  if (LogEnabled(LogTopic::kKernels)) {
    Log(LogTopic::kKernels, opened.ok()
                                ? absl::StrCat("opened cuBLASLt ", opened->cublasLtGetVersion())
                                : absl::StrCat("matrix products by emitted kernels: ",
                                               std::string(opened.status().message())));
  }
  return opened;
}

}  // namespace

absl::StatusOr<CublasLt> CublasLt::Open(const std::string& path) {
  const absl::StatusOr<void*> opened = OpenSharedLibrary(path);
  if (!opened.ok()) {
    return absl::UnavailableError(absl::StrCat("no cuBLASLt: ", opened.status().message()));
  }
  void* const library = *opened;
  CublasLt functions;
#define DYNACC_CUBLASLT_FUNCTION(type, name, parameters)                              \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, #name)); \
  if (functions.name == nullptr) return absl::UnavailableError(path + " has no " #name);
#include "runtime/cuda/cublaslt_functions.def"
#undef DYNACC_CUBLASLT_FUNCTION
  return functions;
}

absl::Status CublasLt::Check(Status status, absl::string_view what) const {
  if (status == cublaslt::kSuccess) return absl::OkStatus();
  const char* const name = cublasLtGetStatusName(status);
  return absl::InternalError(
      absl::StrCat(what, ": ", name == nullptr ? "status" : name, " (", status, ")"));
}

const absl::StatusOr<CublasLt>& ProcessCublasLt() {
  static const auto& library = *new absl::StatusOr<CublasLt>(OpenAndLog());
  return library;
}

}  // namespace dynacc::cuda
