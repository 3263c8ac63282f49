// Attribute look-up on values, as type.__getattribute__ would find it, with guards.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

// What the attribute is wanted for.
enum class AttributeUse {
  kValue,  // LOAD_ATTR
  kCall,   // LOAD_METHOD: a BoundMethodValue is taken apart again, so it may hold any method
};

// The value of `object.name`. A method comes back as a BoundMethodValue, a property is called
// (its value arrives on the stack when the inlined getter returns: then `*pending` is true).
absl::StatusOr<Value*> LoadAttribute(Tracer& tracer, Value* object, BorrowedRef name,
                                     AttributeUse use, bool* pending);

}  // namespace dynacc
