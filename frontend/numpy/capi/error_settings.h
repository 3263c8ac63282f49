// ErrorSettings: what np.seterr, np.seterrcall and np.setbufsize have set in the current thread.
//
// NumPy 1.x keeps a list of three things, for which umath has geterrobj and seterrobj. NumPy 2
// keeps a capsule in a context variable (npy_extobj in numpy/_core/src/umath/extobj.h), whose
// memory is read here only after a capsule of known settings has shown that it lies as it is
// thought to. All functions need the GIL and ImportNumpyApi.
#pragma once

#include <optional>

#include "frontend/cpython/ref.h"

namespace dynacc::numpy {

struct ErrorSettings {
  int buffer_size = 0;  // of a ufunc, in elements
  int mask = 0;         // bits of kShiftDivideByZero and so on
};

// Nothing (and no exception) if they cannot be read. Takes some ten nanoseconds.
std::optional<ErrorSettings> ReadErrorSettings();

// numpy.core.umath's geterrobj and seterrobj, or functions of ours that do the same for NumPy 2:
// without arguments a list [buffer size, mask, function to call or None]; with such a list, sets
// it. Null, without an exception, if there is no way to do it.
BorrowedRef ErrorGetter();
BorrowedRef ErrorSetter();

}  // namespace dynacc::numpy
