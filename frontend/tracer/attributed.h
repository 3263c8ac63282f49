// Attributed: an instance as attribute look-up sees it, whether it exists or is made inside.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

struct Attributed {
  symbolic::Value* value = nullptr;
  PyTypeObject* type = nullptr;
  BorrowedRef object = nullptr;             // null: made inside
  const sources::Source* source = nullptr;  // null: made inside
  symbolic::ConstantValue* cls = nullptr;   // made inside: its class
  symbolic::Overlay* overlay = nullptr;     // null: its attributes are not changed inside

  bool fresh() const { return object == nullptr; }
};

// `value` as one, its class guarded to be in the state in which it is. GraphBreak if it is none, or
// if its class has no version to guard by.
absl::StatusOr<Attributed> AsAttributed(Tracer& tracer, symbolic::Value* value);

// Requires the type of `object`, which `source` leads to, to be in the state in which it is, if
// Python code can change it: a descriptor does what its class says, a class what its metaclass
// says. GraphBreak if there is nothing to guard by.
absl::Status GuardTypeOf(Tracer& tracer, BorrowedRef object, const sources::Source* source);

// Raises AttributeError in the trace, in CPython's words.
absl::Status NoAttribute(Tracer& tracer, PyTypeObject* type, BorrowedRef name);
// A break that names the descriptor's type.
absl::Status OddDescriptor(BorrowedRef descriptor);

// An attribute of an object that never changes; empty if there is none.
Ref FixedPart(BorrowedRef object, const char* name);
// `__get__`, `__set__` ... of a descriptor whose class is written in Python; empty if it is not.
Ref PythonMethod(BorrowedRef descriptor, const char* name);

// Whether `slot`, a member descriptor that the object's class has under `name`, is the object's
// slot of that name: a class may have it under a second one, or a slot of another class.
bool IsOwnSlot(const Attributed& self, BorrowedRef slot, BorrowedRef name);

// Where the class is found.
const sources::Source* SourceOfClass(Tracer& tracer, symbolic::ConstantValue* cls);
// The source of `name` in the class (not bound).
const sources::Source* InClass(Tracer& tracer, const Attributed& self, BorrowedRef name);
// The class as a value.
symbolic::ConstantValue* ClassOf(Tracer& tracer, const Attributed& self);

}  // namespace dynacc::tracer
