// JSON as DynaCC writes it: on one line, its names in the order in which they were set, and what is
// no UTF-8 replaced.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

namespace dynacc {

using Json = nlohmann::ordered_json;  // complete with nlohmann/json.hpp

std::string JsonText(const Json& json);

}  // namespace dynacc
