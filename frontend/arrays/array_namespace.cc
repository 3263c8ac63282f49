#include "frontend/arrays/array_namespace.h"

namespace dynacc {

#define DYNACC_ARRAY_NAMESPACE(name, module, folder) ArrayNamespace* Load##name##Namespace();
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

bool IsArrayLibraryName(BorrowedRef name) {
#define DYNACC_ARRAY_NAMESPACE(class_name, module, folder) \
  if (PyUnicode_CompareWithASCIIString(name, module) == 0) return true;
#include "frontend/arrays/namespaces.def"
#undef DYNACC_ARRAY_NAMESPACE
  return false;
}

}  // namespace dynacc
