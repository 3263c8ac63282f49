// What `dynacc-python --dynacc-info` prints.
#pragma once

#include <string>

namespace dynacc {

// Version, CPython, targets, processor, cache folder, and each environment option with its present
// value. Needs no interpreter.
std::string InfoText();

}  // namespace dynacc
