#include "frontend/arrays/array_namespace.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "frontend/arrays/loaded_libraries.h"
#include "runtime/base/status_macros.h"

namespace dynacc {

#define DYNACC_ARRAY_NAMESPACE(name, module, folder) \
  ArrayNamespace* Load##name##Namespace();           \
  absl::Status Check##name();
#include "frontend/arrays/namespaces.def"
#undef DYNACC_ARRAY_NAMESPACE

ArrayNamespace* LoadedArrayNamespace() {
  static ArrayNamespace* loaded = nullptr;  // under the GIL; libraries are never unloaded
  if (loaded != nullptr) return loaded;
#define DYNACC_ARRAY_NAMESPACE(name, module, folder) \
  if (loaded == nullptr) loaded = Load##name##Namespace();
#include "frontend/arrays/namespaces.def"
#undef DYNACC_ARRAY_NAMESPACE
  return loaded;
}

bool ArraysAreLoaded() { return LoadedArrayNamespace() != nullptr; }

absl::Status CheckArrayLibraries() {
#define DYNACC_ARRAY_NAMESPACE(name, module, folder) DYNACC_RETURN_IF_ERROR(Check##name());
#include "frontend/arrays/namespaces.def"
#undef DYNACC_ARRAY_NAMESPACE
  return absl::OkStatus();
}

bool IsArrayLibraryName(BorrowedRef name) {
  Py_ssize_t size = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(name, &size);
  if (characters == nullptr) {
    PyErr_Clear();
    return false;
  }
  const absl::string_view text(characters, static_cast<size_t>(size));
#define DYNACC_ARRAY_NAMESPACE(class_name, module, folder) \
  if (text == module || absl::StartsWith(text, module ".")) return true;
#include "frontend/arrays/namespaces.def"
#undef DYNACC_ARRAY_NAMESPACE
  return false;
}

}  // namespace dynacc
