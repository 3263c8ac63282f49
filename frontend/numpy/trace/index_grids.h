// NumPy's objects that are only there to be indexed: np.mgrid[0:3, 0:4], np.r_[a, b], np.s_[1:].
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

// Remembers them, and adds their classes' __getitem__ to the callables.
void LearnIndexGrids(BorrowedRef numpy_module);

}  // namespace dynacc::numpy
