// The known name nearest to a misspelt one.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace dynacc {

// The number of letters to be put in, left out, exchanged or swapped with their neighbour to make
// `a` into `b` (optimal string alignment). Large and small letters are one, "-" and "_", too.
int EditDistance(absl::string_view a, absl::string_view b);

// The name nearest to `name`; "" if none is near: within a third of its letters.
std::string NearestName(absl::string_view name, const std::vector<std::string>& names);

// "; did you mean 'x'?", or "" if none is near.
std::string DidYouMean(absl::string_view name, const std::vector<std::string>& names);

}  // namespace dynacc
