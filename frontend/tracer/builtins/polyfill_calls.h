// Calls of polyfills (frontend/polyfills/polyfills.h) in a trace.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Calls a polyfill. A generator that it gives becomes an iterator about which no more is known.
absl::StatusOr<symbolic::Value*> CallPolyfill(Tracer& tracer, BorrowedRef function,
                                              std::vector<symbolic::Value*> args,
                                              symbolic::Keywords keywords = {});

}  // namespace dynacc::tracer
