#include "frontend/capture/array_libraries.h"

#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/numpy_namespace.h"
#include "frontend/tensor/native_namespace.h"

namespace dynacc::capture {
namespace {

constexpr arrays::ArrayLibrary kLibraries[] = {
#define DYNACC_ARRAY_NAMESPACE(room, name, module, folder) \
  {module, room::Load##name##Namespace, room::Check##name},
#include "frontend/capture/array_libraries.def"
#undef DYNACC_ARRAY_NAMESPACE
};

}  // namespace

void RegisterArrayLibraries() { arrays::SetArrayLibraries(kLibraries); }

}  // namespace dynacc::capture
