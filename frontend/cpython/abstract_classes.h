// Abstract base classes (abc.ABCMeta), as isinstance and issubclass ask them.
#pragma once

#include <Python.h>

#include <cstdint>

#include "frontend/cpython/ref.h"

namespace dynacc {

// abc.get_cache_token(): changes with each register() of an abstract class. -1 without module _abc,
// which the interpreter loads at its start. Runs no Python code and sets no exception.
int64_t AbstractClassesToken();

}  // namespace dynacc
