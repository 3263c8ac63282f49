// Executor: where asynchronous calls run.
#pragma once

#include <functional>
#include <memory>

#include "dynacc/export.h"

namespace dynacc {
inline namespace v0 {

// Threads of the host. To be implemented by a host that has a pool of its own.
class DYNACC_EXPORT Executor {
 public:
  virtual ~Executor() = default;

  // Runs `work` once, soon, on a thread of its own choice, but not before this returns. Called from
  // any thread. `work` does not throw, and may take as long as a call of a Python function does.
  virtual void Run(std::function<void()> work) = 0;
};

// A pool of `threads` threads, at least one. What was given to it is run before its destructor
// returns, which must not be called on one of its threads.
DYNACC_EXPORT std::shared_ptr<Executor> MakeThreadPool(int threads);

}  // namespace v0
}  // namespace dynacc
