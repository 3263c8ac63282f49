// The extension module _dynacc for a stock python3: the code is embed/module's; this reference
// keeps its entry point in the link.
#include "embed/module/module.h"

namespace dynacc {
extern "C" __attribute__((visibility("hidden"), used))
PyObject* (*const kEntryPoint)() = PyInit__dynacc;
}  // namespace dynacc
