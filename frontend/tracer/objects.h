// Making instances: calls of classes.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// cls(*args, **keywords) for a class written in Python or an exception class. NotFound for others.
absl::StatusOr<symbolic::Value*> Instantiate(Tracer& tracer, symbolic::ConstantValue* cls,
                                             std::vector<symbolic::Value*> args,
                                             symbolic::Keywords keywords);
// object.__new__(cls): a bare instance.
absl::StatusOr<symbolic::InstanceValue*> NewInstance(Tracer& tracer, symbolic::ConstantValue* cls);
// Whether the class is a Python subclass of tuple whose instances are read as tuples are, and have
// nothing but their items: a named tuple.
bool IsTupleSubclass(BorrowedRef cls);
bool IsExceptionClass(BorrowedRef object);
// The exception of `raise value`: a class is called. One that exists already is a GraphBreak.
absl::StatusOr<symbolic::InstanceValue*> ExceptionOf(Tracer& tracer, symbolic::Value* value);
bool IsNone(symbolic::Value* value);

// Requires the class of class `cls` to be as it is: it decides what calls of `cls` and tests of
// instances mean.
absl::Status GuardMetaclass(Tracer& tracer, BorrowedRef cls);

// isinstance(value, cls) for one class.
absl::StatusOr<bool> IsInstanceOf(Tracer& tracer, symbolic::Value* value, BorrowedRef cls);

}  // namespace dynacc::tracer
