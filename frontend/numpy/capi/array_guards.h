// NumPy's answers to the guards on arrays.
#pragma once

namespace dynacc::numpy {

// Registers them with frontend/guards (array_checks.h). Needs the GIL.
void RegisterNumpyGuards();

}  // namespace dynacc::numpy
