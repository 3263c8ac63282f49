// The instruction-set levels of x86-64 that kernels can be compiled for instead of this machine's
// own CPU: x86-64-v2 (SSE4.2), x86-64-v3 (AVX2), x86-64-v4 (AVX-512), as the System V ABI defines
// them (https://gitlab.com/x86-psABIs/x86-64-ABI, "micro-architecture levels").
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace dynacc {

// The levels that this machine has all of, lowest first.
std::vector<absl::string_view> LevelsOfThisMachine();

// OK if `name` is such a level and this machine has all of it. INVALID_ARGUMENT with the levels
// that it has otherwise: kernels for another one would end the process.
absl::Status CheckCpuLevel(absl::string_view name);

// The level that DYNACC_CPU names; empty, for this machine's own CPU, without it or if it does not
// check. Read once.
const std::string& KernelCpuLevel();

}  // namespace dynacc
