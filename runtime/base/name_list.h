// The value of an option that is a list of names.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace dynacc {

// "a, b," is a and b.
inline std::vector<std::string> NamesIn(absl::string_view list) {
  std::vector<std::string> names;
  for (const absl::string_view part : absl::StrSplit(list, ',', absl::SkipWhitespace())) {
    names.emplace_back(absl::StripAsciiWhitespace(part));
  }
  return names;
}

}  // namespace dynacc
