// What the machine's memory can hold at all.
#pragma once

#include <cstdint>

#include "absl/types/span.h"

namespace dynacc::platform {

// Whether an array of `sizes` elements of `item_bytes` bytes could lie in all of the machine's
// memory and swap space (sysinfo(2)), were nothing else there. Linux refuses a larger allocation
// unless it has been told to promise more than it has (Documentation/mm/overcommit-accounting.rst),
// and NumPy then raises MemoryError, or ValueError for more bytes than 63 bits can count.
bool FitsHostMemory(int64_t item_bytes, absl::Span<const int64_t> sizes);

}  // namespace dynacc::platform
