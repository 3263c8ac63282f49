// Whether NumPy's structs lie where the headers and descriptors.h say, which is asked once of the
// NumPy that a process has imported.
#pragma once

#include "frontend/numpy/capi/numpy_api.h"

namespace dynacc::numpy {

// Compares an array, its descriptor, a scalar and a ufunc, as read by their structs, with what
// their attributes say. False, without an exception, if one differs. Needs the C API's tables.
bool StructsAreKnown();

}  // namespace dynacc::numpy
