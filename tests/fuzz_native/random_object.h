// ELF relocatable objects made of choices: well-formed enough to get past the first checks, with
// odd numbers wherever a field takes one.
#pragma once

#include <string>

#include "tests/fuzz_native/fuzz_target.h"

namespace dynacc {

std::string RandomObject(Choices& choices);

}  // namespace dynacc
