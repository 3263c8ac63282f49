#include "frontend/arrays/array_namespace.h"

#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "frontend/arrays/loaded_libraries.h"
#include "runtime/base/status_macros.h"

namespace dynacc::arrays {
namespace {

absl::Span<const ArrayLibrary> libraries;  // under the GIL

}  // namespace

void SetArrayLibraries(absl::Span<const ArrayLibrary> known) { libraries = known; }

ArrayNamespace* LoadedArrayNamespace() {
  static ArrayNamespace* loaded = nullptr;  // under the GIL; libraries are never unloaded
  for (const ArrayLibrary& library : libraries) {
    if (loaded != nullptr) break;
    loaded = library.load();
  }
  return loaded;
}

bool ArraysAreLoaded() { return LoadedArrayNamespace() != nullptr; }

absl::Status CheckArrayLibraries() {
  for (const ArrayLibrary& library : libraries) DYNACC_RETURN_IF_ERROR(library.check());
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
  return absl::c_any_of(libraries, [text](const ArrayLibrary& library) {
    return text == library.module ||
           (absl::StartsWith(text, library.module) && text[strlen(library.module)] == '.');
  });
}

}  // namespace dynacc::arrays
