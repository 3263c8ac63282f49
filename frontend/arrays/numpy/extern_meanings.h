// Which calls of NumPy a device, or a step of ours, can do itself.
#pragma once

#include <optional>

#include "frontend/arrays/numpy/externs.h"
#include "runtime/executor/extern_meaning.h"

namespace dynacc {

// The scan that the call is: np.cumsum, np.cumprod, the arrays' methods of those names, and
// np.add.accumulate and np.multiply.accumulate, of one array and an axis that is known.
std::optional<ExternScan> ScanOf(const ExternCall& call);

// The rows that the call takes: `a[at]` with one array of indices, np.take and the arrays' method
// of two arrays.
std::optional<ExternTake> TakeOf(const ExternCall& call);

}  // namespace dynacc
