// What `dynacc-python --dynacc-info` prints.
#pragma once

#include <string>

namespace dynacc {

// Versions, processor and its levels, compiler, cache folder and what is in it, targets, and each
// environment option with its present value, and the topics of DYNACC_LOGS. Needs no interpreter.
std::string InfoText();

}  // namespace dynacc
