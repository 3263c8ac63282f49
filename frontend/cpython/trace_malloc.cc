#include "frontend/cpython/trace_malloc.h"

#include "frontend/cpython/layout.h"

namespace dynacc {

bool MemoryIsTracked() { return MemoryTrackerIsOn(); }

}  // namespace dynacc
