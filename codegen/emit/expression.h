// Expressions of ops.def: C++ text on the operands a, b, c and the type T.
#pragma once

#include <array>
#include <string>

#include "absl/strings/string_view.h"

namespace dynacc::emit {

// `expression` with the identifiers a, b, c replaced by `operands` and T by `type`. Identifiers
// are replaced whole: the a of Abs stays.
std::string ExpandExpression(absl::string_view expression,
                             const std::array<std::string, 3>& operands, absl::string_view type);

}  // namespace dynacc::emit
