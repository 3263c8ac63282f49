// Loops for what no ufunc does: Cast and Where, in the form of NumPy's inner loops.
#pragma once

#include "runtime/kernel/library_loops.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

// args: source, destination. The conversions are C's, as NumPy's are (to bool: x != 0).
LibraryLoop CastLoop(DType from, DType to);

// args: condition (bool), a, b, destination; the last three of `dtype`.
LibraryLoop WhereLoop(DType dtype);

}  // namespace dynacc
