// Makes `import dynacc` work in an interpreter that this process is about to start.
#pragma once

#include "absl/status/status.h"

namespace dynacc {

// Adds the package dynacc (frozen_package.h) and its module _dynacc to CPython's tables of
// frozen and built-in modules. Call once, before Py_InitializeFromConfig.
absl::Status RegisterPackage();

}  // namespace dynacc
