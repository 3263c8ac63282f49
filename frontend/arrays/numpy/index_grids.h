// NumPy's objects that are only there to be indexed: np.mgrid[0:3, 0:4], np.r_[a, b], np.s_[1:].
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc {

// Remembers them and their classes' __getitem__; once.
void LoadIndexGrids(BorrowedRef numpy_module);

// Whether `callable` is one of those __getitem__ functions.
bool IsGridItem(BorrowedRef callable);
// Traces its call: `args` are the object and the key.
absl::StatusOr<Value*> CallGridItem(TraceContext& trace, const CallArgs& args);

}  // namespace dynacc
