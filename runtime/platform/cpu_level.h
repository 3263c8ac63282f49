// The instruction-set levels of x86-64 that kernels can be compiled for instead of this machine's
// own CPU: x86-64-v2 (SSE4.2), x86-64-v3 (AVX2), x86-64-v4 (AVX-512), as the System V ABI defines
// them (https://gitlab.com/x86-psABIs/x86-64-ABI, "micro-architecture levels").
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace dynacc::platform {

// The levels that this machine has all of, lowest first.
std::vector<absl::string_view> LevelsOfThisMachine();

// OK if `name` is such a level and this machine has all of it. INVALID_ARGUMENT with the levels
// that it has otherwise: kernels for another one would end the process.
absl::Status CheckCpuLevel(absl::string_view name);

// The level that DYNACC_CPU names; empty, for this machine's own CPU, without it or if it does not
// check. Read once.
const std::string& KernelCpuLevel();

// Of loops of ours that are compiled several times, the ones to run: for the level that DYNACC_CPU
// names or the highest of this machine. `base` is compiled for every machine.
template <typename T>
const T& ForBestLevel(const T& base, const T& v3, const T& v4) {
  const std::vector<absl::string_view> levels = LevelsOfThisMachine();
  if (levels.empty()) return base;
  const absl::string_view named = KernelCpuLevel();
  const absl::string_view level = named.empty() ? levels.back() : named;
  if (level == "x86-64-v4") return v4;
  return level == "x86-64-v3" ? v3 : base;
}

}  // namespace dynacc::platform
