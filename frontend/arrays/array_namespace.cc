#include "frontend/arrays/array_namespace.h"

namespace dynacc {

#define DYNACC_ARRAY_NAMESPACE(name, folder) ArrayNamespace* Load##name##Namespace();
#include "frontend/arrays/namespaces.def"
#undef DYNACC_ARRAY_NAMESPACE

ArrayNamespace* LoadedArrayNamespace() {
  static ArrayNamespace* loaded = nullptr;  // under the GIL; libraries are never unloaded
  if (loaded != nullptr) return loaded;
#define DYNACC_ARRAY_NAMESPACE(name, folder) \
  if (loaded == nullptr) loaded = Load##name##Namespace();
#include "frontend/arrays/namespaces.def"
#undef DYNACC_ARRAY_NAMESPACE
  return loaded;
}

}  // namespace dynacc
