// What a user can do about a graph break.
#pragma once

#include "absl/strings/string_view.h"

namespace dynacc::frame {

// The hint for a break with that reason (break_hints.def).
absl::string_view BreakHint(absl::string_view reason);

}  // namespace dynacc::frame
