// Keyword arguments that NumPy's functions got or lost from one version to the next
// (numpy_keywords.def).
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

// `args` of a call of the function `name` as its row knows them. GraphBreak for a keyword
// that this version does not have there, and for a device that is not NumPy's only one.
absl::StatusOr<arrays::CallArgs> AsRowKnows(absl::string_view name, const arrays::CallArgs& args);

}  // namespace dynacc::numpy
