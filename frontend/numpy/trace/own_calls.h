// Which calls of NumPy's a function of our own can make, where there is no NumPy
// (runtime/cpu/own/own_functions.h).
#pragma once

#include <optional>

#include "absl/strings/string_view.h"
#include "frontend/numpy/trace/numpy_library_caller.h"
#include "runtime/cpu/own/own_functions.h"

namespace dynacc::numpy {

// The call as data; nothing if there is no such function, or an argument is none that it takes.
// `name`: the callable's, "numpy.sort" or "numpy.ndarray.argsort". Needs the GIL.
std::optional<cpu::OwnCall> OwnCallOf(const LibraryCall& call, absl::string_view name);

}  // namespace dynacc::numpy
