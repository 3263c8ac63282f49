// functions.py as marshalled code; made at build time by tools/freeze_code.py.
#pragma once

#include <cstddef>

namespace dynacc::polyfills {

extern const unsigned char kFrozenFunctions[];
extern const size_t kFrozenFunctionsSize;

}  // namespace dynacc::polyfills
