#include "frontend/capture/array_libraries.h"

#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/numpy_namespace.h"
#include "frontend/tensor/native_namespace.h"

namespace dynacc {
namespace {

constexpr ArrayLibrary kLibraries[] = {
#define DYNACC_ARRAY_NAMESPACE(name, module, folder) {module, Load##name##Namespace, Check##name},
#include "frontend/capture/array_libraries.def"
#undef DYNACC_ARRAY_NAMESPACE
};

}  // namespace

void RegisterArrayLibraries() { SetArrayLibraries(kLibraries); }

}  // namespace dynacc
