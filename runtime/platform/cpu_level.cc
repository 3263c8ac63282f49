#include "runtime/platform/cpu_level.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/options.h"

namespace dynacc::platform {
// What each level adds to the one before. GCC checks with the operating system, too, whether it
// saves the wider registers.
std::vector<absl::string_view> LevelsOfThisMachine() {
  std::vector<absl::string_view> levels;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("ssse3") == 0 || __builtin_cpu_supports("sse4.2") == 0 ||
      __builtin_cpu_supports("popcnt") == 0) {
    return levels;
  }
  levels.push_back("x86-64-v2");
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0 ||
      __builtin_cpu_supports("bmi") == 0 || __builtin_cpu_supports("bmi2") == 0) {
    return levels;
  }
  levels.push_back("x86-64-v3");
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0) {
    levels.push_back("x86-64-v4");
  }
#endif
  return levels;
}

absl::Status CheckCpuLevel(absl::string_view name) {
  const std::vector<absl::string_view> levels = LevelsOfThisMachine();
  if (absl::c_linear_search(levels, name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("this machine has no level '", name, "'; it has ", absl::StrJoin(levels, ", ")));
}

const std::string& KernelCpuLevel() {
  static const std::string& level = *new std::string(
      CheckCpuLevel(ProcessOptions().cpu).ok() ? ProcessOptions().cpu : std::string());
  return level;
}

}  // namespace dynacc::platform
