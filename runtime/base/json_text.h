// JSON as text, for the few places that write it.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace dynacc {

// `text` as a JSON string, quotes included. Bytes from 0x80 on are passed through, as UTF-8.
std::string JsonString(absl::string_view text);

}  // namespace dynacc
