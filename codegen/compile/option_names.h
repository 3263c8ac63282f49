// The names that options may have: of targets, of passes and fusion rules; and checks of what users
// give.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/base/options.h"

namespace dynacc::compile {

// What CompileOptions::target may be, best first, for users to choose from.
struct TargetInfo {
  const char* name;
  const char* doc;
};
const std::vector<TargetInfo>& TargetInfos();

// INVALID_ARGUMENT, with the names that there are, if `name` is none of TargetInfos.
absl::Status CheckTargetName(absl::string_view name);

// Whether what CheckTargetName allows can be used on this machine; UNAVAILABLE, with the reason, if
// not (a GPU without a driver, say).
absl::Status CheckTargetAvailable(absl::string_view name);

// What DYNACC_DISABLE_PASSES may name: optional passes and fusion rules.
struct PassInfo {
  const char* name;
  const char* doc;
  bool of_process = false;  // CompileOptions::disabled_passes does not reach it
};
const std::vector<PassInfo>& PassInfos();

// As CheckTargetName, for each name in the value of DYNACC_DISABLE_PASSES.
absl::Status CheckPassNames(absl::string_view names);

// `names` with former names replaced by current ones (kFormerNames).
std::string CurrentPassNames(absl::string_view names);

// Whether the options `tile` and `unroll` are numbers that kernels can have.
absl::Status CheckKernelForm(const Options& options);

}  // namespace dynacc::compile
