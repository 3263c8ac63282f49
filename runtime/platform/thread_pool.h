// Threads for large arrays: a small pool that starts when it is first needed.
//
// The size is DYNACC_THREADS, or the number of cores that this process may use by its affinity and
// its control group's quota (container_limits.h), rounded up. A forked child has none of its
// parent's threads; it starts its own when it needs them. Workers never touch Python.
#pragma once

#include "absl/functional/function_ref.h"

namespace dynacc::platform {

// Threads that ParallelFor uses, the caller included; at least 1: the pool's size, or fewer where a
// ScopedThreadLimit says so.
int ThreadCount();

// While it lives, ParallelFor uses `most` threads at most for its own thread's work; 0: as many as
// before. What is split into parts by ThreadCount has as many parts then.
class ScopedThreadLimit {
 public:
  explicit ScopedThreadLimit(int most);
  ~ScopedThreadLimit();
  ScopedThreadLimit(const ScopedThreadLimit&) = delete;
  ScopedThreadLimit& operator=(const ScopedThreadLimit&) = delete;

 private:
  const int before_;
};

// Runs task(0) ... task(parts - 1), each once, on the pool and the calling thread, and returns when
// all are done. The floating-point flags that the tasks raise are raised on the calling thread. A
// call made while another is under way (from another thread, or from a task) runs all its parts
// itself. Tasks must not throw.
void ParallelFor(int parts, absl::FunctionRef<void(int part)> task);

// Whether a ParallelFor that starts now finds a worker that is awake, which costs a microsecond or
// two instead of the fifty of waking one. To be asked before work of some ten microseconds or more
// that is to be split if so. Asked many times in quick succession it wakes a worker, which then
// stays awake, using its core, for some tens of microseconds after each such answer. Where other
// programs want the cores (core_load.h), or it turns out badly, the answer is no for a while.
bool WorkersAreAwake();

}  // namespace dynacc::platform
