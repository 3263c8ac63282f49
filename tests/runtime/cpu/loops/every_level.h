// What is compiled once for each instruction-set level, for tests to run at every level that this
// machine has.
#pragma once

#include <vector>

#include "absl/algorithm/container.h"
#include "runtime/platform/cpu_level.h"

namespace dynacc::testing {

template <typename T>
std::vector<T> EveryLevel(const T& base, const T& v3, const T& v4) {
  std::vector<T> all = {base};
  const std::vector<absl::string_view> levels = platform::LevelsOfThisMachine();
  if (absl::c_linear_search(levels, "x86-64-v3")) all.push_back(v3);
  if (absl::c_linear_search(levels, "x86-64-v4")) all.push_back(v4);
  return all;
}

}  // namespace dynacc::testing
