// NumPy's own Python functions that are traced where captured code calls them (numpy_inlined.def),
// and what they call: helpers of the same module, and the modules that are written in terms of
// arrays throughout (numpy.polynomial, np.errstate, np.poly1d).
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::numpy {

// Adds the function objects of the table to the callables.
void LearnInlined(BorrowedRef numpy_module);

// The function whose code is traced for NumPy's callable `function`: itself, or what it hands its
// arguments to unless one of them is of a class that overrides NumPy's functions (there is none in
// a trace). Null if it is not traced.
Ref InlinedForm(BorrowedRef function);

}  // namespace dynacc::numpy
