// How the running version's `complex` calculates.
#pragma once

#include <Python.h>

namespace dynacc {

// Whether a real operand is made complex first. From 3.14 on it is not.
inline constexpr bool kComplexTakesRealsAsComplex = PY_VERSION_HEX < 0x030E0000;

}  // namespace dynacc
