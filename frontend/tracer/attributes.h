// Attributes of values, as type.__getattribute__ and its like would find them, with guards.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// The value of `object.name`; a method comes back as a BoundMethodValue. Properties, descriptors
// and __getattr__ written in Python are inlined. An AttributeError is raised in the trace.
absl::StatusOr<symbolic::Value*> LoadAttribute(Tracer& tracer, symbolic::Value* object,
                                               BorrowedRef name);

// Whether `status` is that of an AttributeError which was raised in the trace.
absl::StatusOr<bool> RaisedAttributeError(Tracer& tracer, const absl::Status& status);

// `object.name = value`; a null value deletes.
absl::Status StoreAttribute(Tracer& tracer, symbolic::Value* object, BorrowedRef name,
                            symbolic::Value* value);
// What object.__setattr__ does, whatever the class has of its own.
absl::Status StoreAttributePlainly(Tracer& tracer, symbolic::Value* object, BorrowedRef name,
                                   symbolic::Value* value);

// The class of a materialized value, guarded; null if the tracer does not know it.
absl::StatusOr<symbolic::ConstantValue*> ClassOf(Tracer& tracer, symbolic::Value* value);

// The class in whose MRO super(after, self) looks, guarded: that of `self`, or `self` where it is a
// subclass of `after`. GraphBreak where CPython raises, and in metaclasses.
absl::StatusOr<symbolic::ConstantValue*> ClassOfSuper(Tracer& tracer,
                                                      symbolic::ConstantValue* after,
                                                      symbolic::Value* self);

// The Python function `name` of the value's class (a special method), or null if its class has none
// of that name. GraphBreak if it has one that is not written in Python.
absl::StatusOr<symbolic::Value*> SpecialMethod(Tracer& tracer, symbolic::Value* value,
                                               const char* name);

// Whether `value` is an instance, made inside or existing, of a class whose look-up of attributes
// the tracer can follow.
bool HasAttributes(symbolic::Value* value);

}  // namespace dynacc::tracer
