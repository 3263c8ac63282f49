// The identity of this build of DynaCC.
#pragma once

#include <string>

namespace dynacc::platform {

// The bytes that the linker has given the file that holds this code (its GNU build ID), the same in
// every process that runs it and in no other build; "" if the file has none.
const std::string& BuildId();

}  // namespace dynacc::platform
