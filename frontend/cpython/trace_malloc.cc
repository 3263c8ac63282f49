#include "frontend/cpython/trace_malloc.h"

#include "frontend/cpython/internals.h"

namespace dynacc {

bool MemoryIsTracked() { return _Py_tracemalloc_config.tracing != 0; }

}  // namespace dynacc
