#include "runtime/base/json_text.h"

#include "nlohmann/json.hpp"

namespace dynacc {

std::string JsonText(const Json& json) {
  constexpr int kOneLine = -1;
  return json.dump(kOneLine, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace dynacc
