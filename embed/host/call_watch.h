// CallWatch: stops one call into Python at its deadline or when its Cancellation is cancelled.
//
// A call is stopped by raising CallStopped, a BaseException that Python code has no name for, in
// the thread that runs it (RaiseInThread). Deadlines are kept by one thread of the process, started
// by the first call that has one.
#pragma once

#include <Python.h>

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "embed/include/dynacc/function.h"

namespace dynacc {

// Made and destroyed by the calling thread, with the GIL held.
class CallWatch {
 public:
  explicit CallWatch(const CallOptions& options);
  // No stop arrives after this.
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  // Why a call with these options must not be started, or go on: it was cancelled, or its time is
  // over. Ok otherwise. Needs no GIL.
  static absl::Status MayRun(const CallOptions& options);
  // If the current exception is the stop of this call: the Status for it; the exception is cleared.
  std::optional<absl::Status> TakeStop();

 private:
  friend Cancellation;
  struct Call;  // what other threads stop; outlives the watch where they still hold it
  static void Stop(Call& call, absl::StatusCode reason);
  static absl::Status StatusFor(absl::StatusCode reason);
  friend class DeadlineThread;

  const CallOptions& options_;
  std::shared_ptr<Call> call_;
};

}  // namespace dynacc
