// functools.singledispatch: which function its table has for a class.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Whether the function is the `dispatch` of a generic function, which calls of that, and of what
// functools.singledispatchmethod makes, ask for the function of their argument's class.
bool IsDispatch(const symbolic::FunctionValue& function);

// What it returns for a class. Guarded are the classes that the table has and the class's own
// bases. GraphBreak where abstract classes are in the table, which may have any class as a
// subclass, and where it does not remember, from an earlier call, the answer that the bases now
// give.
absl::StatusOr<symbolic::Value*> CallDispatch(Tracer& tracer,
                                              const symbolic::FunctionValue& function,
                                              const std::vector<symbolic::Value*>& positional,
                                              const symbolic::Keywords& keywords);

}  // namespace dynacc::tracer
