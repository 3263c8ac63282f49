// How much of its stack the calling thread has left.
#pragma once

#include <cstddef>

namespace dynacc::platform {

// Bytes below the caller's frame. What the system does not tell counts as very many. The first call
// on a thread takes some microseconds, later ones a nanosecond.
size_t StackLeft();

}  // namespace dynacc::platform
