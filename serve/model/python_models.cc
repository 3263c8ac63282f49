#include "serve/model/python_models.h"

#include <dlfcn.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "serve/model/program_model.h"

namespace dynacc::model {
namespace {

// RTLD_GLOBAL: Python's extension modules find libpython's names that way.
absl::StatusOr<PythonModels*> OpenModule() {
  void* const module = dlopen("libdynacc_serve_python.so", RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) {
    return absl::UnavailableError(absl::StrCat("this server has no Python: ", dlerror()));
  }
  const auto start = reinterpret_cast<StartPythonModels>(dlsym(module, kStartPythonModels));
  if (start == nullptr) return absl::UnavailableError("libdynacc_serve_python.so is another one");
  return start();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Model>> LoadModel(const ModelFile& file, const Settings& settings) {
  if (!settings.is_python()) return LoadProgram(file, settings.trusted_key);
  if (!settings.trusted_key.empty()) {
    return absl::PermissionDeniedError("with a trusted key no Python models are loaded");
  }
  static const absl::StatusOr<PythonModels*> python = OpenModule();
  DYNACC_RETURN_IF_ERROR(python.status());
  return (*python)->Load(file.path, settings);
}

}  // namespace dynacc::model
