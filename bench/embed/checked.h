// Results of calls that a benchmark counts on.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynacc {

// Calls that fail end the program: what is timed is not what was meant then.
inline void Check(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

template <typename T>
T Got(absl::StatusOr<T> result) {
  Check(result.status());
  return *std::move(result);
}

}  // namespace dynacc
