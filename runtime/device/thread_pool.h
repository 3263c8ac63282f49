// Threads for large arrays: a small pool that starts when it is first needed.
//
// The size is DYNACC_THREADS or the number of cores that this process may use. A forked child has
// none of its parent's threads; it starts its own when it needs them. Workers never touch Python.
#pragma once

#include "absl/functional/function_ref.h"

namespace dynacc {

// Threads that ParallelFor uses, the caller included; at least 1.
int ThreadCount();

// Runs task(0) ... task(parts - 1), each once, on the pool and the calling thread, and returns when
// all are done. The floating-point flags that the tasks raise are raised on the calling thread. A
// call made while another is under way (from another thread, or from a task) runs all its parts
// itself. Tasks must not throw.
void ParallelFor(int parts, absl::FunctionRef<void(int part)> task);

}  // namespace dynacc
