// Calls that hold the GIL for the guards of a compiled function only
// (frontend/capture/host_call.h).
#pragma once

#include <Python.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "embed/include/dynacc/function.h"
#include "frontend/capture/host_call.h"
#include "frontend/numpy/trace/lent_array.h"

namespace dynacc {

// One call. Its result is no array of Python's: a Tensor over memory that nobody else has.
class FastCall {
 public:
  // Needs no GIL. `arguments` stay as they are for as long as this is used.
  FastCall(const std::vector<Value>& arguments, const CallOptions& options);

  // Whether `callable` can be called so. Then Run without the GIL is to follow. Needs the GIL.
  bool Match(BorrowedRef callable);

  // The value; nothing if the function is to be called the usual way, nothing having happened.
  // Releases what Match took; needs no GIL.
  std::optional<absl::StatusOr<Value>> Run();

 private:
  bool LendArrays();
  bool MatchFunction(BorrowedRef function, const cache::Compilation* compilation, BorrowedRef self);

  const std::vector<Value>& values_;
  const CallOptions& options_;
  std::unique_ptr<numpy::LentArray[]>
      lent_;  // of the first num_lent_ values that are arrays, in order
  size_t num_lent_ = 0;
  bool may_fit_ = false;  // as far as it is known without the GIL
  capture::HostCall call_;
};

}  // namespace dynacc
