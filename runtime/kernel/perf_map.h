// /tmp/perf-PID.map: names for compiled kernels in `perf report` (DYNACC_PERF_MAP=1).
//
// The format is that of tools/perf/Documentation/jit-interface.txt in Linux: a line
// "START SIZE name" in hexadecimal for each piece of code. Lines are never taken back, as the
// format has no way to; perf takes the last that fits.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc::kernel {

// Adds a line to this process's file, opening it at the first call. A file that cannot be written,
// or is another user's, is said once. Thread-safe; a forked child gets a file of its own.
void AddToPerfMap(absl::Span<const char> code, absl::string_view name);

}  // namespace dynacc::kernel
