// RunOnThreads: a few long tasks side by side, on threads of their own.
//
// The thread pool (runtime/platform/thread_pool.h) is for kernels, which would wait for a compile.
#pragma once

#include "absl/functional/function_ref.h"

namespace dynacc::targets {

// Runs task(0) ... task(count - 1), each once, on this thread and on as many others as kernels may
// use, with stacks that are deep enough for Clang; returns when all are done. A call from within a
// task of several runs all of its own on the thread of that task. Tasks must not throw.
void RunOnThreads(int count, absl::FunctionRef<void(int index)> task);

}  // namespace dynacc::targets
