// The extension module _dynacc for a stock python3, and the core that dynacc-python loads: the code
// is embed/module's; these references keep its entry points in the link.
#include "embed/module/core.h"
#include "embed/module/module.h"

namespace dynacc {
extern "C" __attribute__((visibility("hidden"), used))
PyObject* (*const kEntryPoint)() = PyInit__dynacc;
extern "C" __attribute__((visibility("hidden"), used))
const Core* (*const kCoreEntryPoint)() = DynaccCore;
}  // namespace dynacc
