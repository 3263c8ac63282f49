// Calls that hold the GIL for the guards of a compiled function only
// (frontend/capture/host_call.h).
#pragma once

#include <Python.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "embed/host/outputs.h"
#include "embed/include/dynacc/function.h"
#include "frontend/capture/host_call.h"
#include "frontend/numpy/trace/lent_array.h"

namespace dynacc {

// One call. Its result is no array of Python's: a Tensor over memory that nobody else has, or in
// the host's outputs. What it works with is the thread's, and used again by later calls.
class FastCall {
 public:
  // Needs no GIL. `arguments` stay as they are for as long as this is used.
  FastCall(absl::Span<const Value> arguments, const CallOptions& options);
  ~FastCall();
  FastCall(FastCall&&) noexcept;
  FastCall& operator=(FastCall&&) = delete;

  // Whether `callable` can be called so. Then Run without the GIL is to follow, or the end of this.
  // Needs the GIL.
  bool Match(BorrowedRef callable);

  // The value; nothing if the function is to be called the usual way, nothing having happened.
  // Releases what Match took; needs no GIL.
  std::optional<absl::StatusOr<Value>> Run();
  // The same with the results in `outputs`, which may have been written to in any case.
  std::optional<absl::Status> RunInto(const Outputs& outputs);

 private:
  struct Scratch;
  static std::vector<std::unique_ptr<Scratch>>& Kept();
  bool LendArrays();
  bool MatchFunction(BorrowedRef function, const cache::Compilation* compilation, BorrowedRef self);
  void Drop();
  capture::HostCall::Outcome Compute(absl::Span<const StridedView> places);

  absl::Span<const Value> values_;
  const CallOptions& options_;
  std::unique_ptr<Scratch> scratch_;  // null in what was moved from
  size_t num_lent_ = 0;               // arrays among the values, in order
  bool may_fit_ = false;              // as far as it is known without the GIL
};

}  // namespace dynacc
