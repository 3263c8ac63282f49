// What functools.partial, operator.itemgetter and the like give: callables that hold arguments.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/objects.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// `callable` as such a callable, guarded if it exists; null if it is none. An existing
// functools.partial is none: its parts are read at each call.
absl::StatusOr<symbolic::PartialValue*> AsPartial(Tracer& tracer, symbolic::Value* callable);

// As Tracer::Call.
absl::Status CallPartialValue(Tracer& tracer, symbolic::PartialValue* partial,
                              std::vector<symbolic::Value*> args, symbolic::Keywords keywords);

}  // namespace dynacc::tracer
