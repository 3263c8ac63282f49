// The page at `/`, for people.
#pragma once

#include <string>

#include "serve/service/service.h"

namespace dynacc::http {

// HTML without scripts, pictures or anything from elsewhere.
std::string StatusPage(const service::Service& service);

}  // namespace dynacc::http
