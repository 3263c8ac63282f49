// Which calls of NumPy a device can do itself.
#pragma once

#include <optional>

#include "frontend/arrays/numpy/externs.h"
#include "runtime/executor/extern_meaning.h"

namespace dynacc {

// The scan that the call is: np.cumsum, np.cumprod, the arrays' methods of those names, and
// np.add.accumulate and np.multiply.accumulate, of one array and an axis that is known.
std::optional<ExternScan> ScanOf(const ExternCall& call);

}  // namespace dynacc
