// Attribute look-up on values, as type.__getattribute__ would find it, with guards.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

// The value of `object.name`. A method comes back as a BoundMethodValue, a property is called
// (its value arrives on the stack when the inlined getter returns: then `*pending` is true).
absl::StatusOr<Value*> LoadAttribute(Tracer& tracer, Value* object, BorrowedRef name,
                                     bool* pending);

}  // namespace dynacc
