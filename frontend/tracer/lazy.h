// Results that are known only when the segment has run: float(x.sum()), f"{loss:.3f}". Each is a
// call of a builtin function, made at the segment's end, of numbers and array scalars that the
// segment computes. The calls run no code of the user's; where one raises, CPython runs the stretch
// again.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Whether the value can be an argument of such a call: a plain constant, a number, another such
// result, an array scalar, or a tuple of those.
bool IsDeferrable(symbolic::Value* value);

// function(*args), of type `type`. GraphBreak(reason) if an argument is not deferrable.
absl::StatusOr<symbolic::Value*> Defer(Tracer& tracer, BorrowedRef function,
                                       std::vector<symbolic::Value*> args, PyTypeObject* type,
                                       const char* reason);

// Whether `value` is a Python number, or an array scalar, some of which are known only when the
// segment has run.
bool IsDataDependentNumber(symbolic::Value* value);
// A float or int that is made at the segment's end, made at this place of the graph instead, so
// that what follows can compute with it; other values as they are.
absl::StatusOr<symbolic::Value*> Settled(Tracer& tracer, symbolic::Value* value);
// The type of a number of Python's (float, int or bool) that an array scalar can stand for; null:
// it is none. Then ScalarFor it, which is null if no dtype holds it, and the number that a scalar
// of that dtype stands for.
PyTypeObject* NumberTypeOf(symbolic::Value* value);
symbolic::TensorValue* ScalarFor(Tracer& tracer, symbolic::Value* number);
symbolic::Value* NumberFor(Tracer& tracer, symbolic::Value* scalar, PyTypeObject* type);
// The array scalar with the same value as a settled float, int or bool; null if `value` is none. In
// arithmetic with arrays they are the same.
symbolic::TensorValue* ScalarBehind(symbolic::Value* value);
// function(*args) of numbers at this place of the graph (ArrayNamespace::CallOnNumbers).
absl::StatusOr<symbolic::Value*> CallOnNumbers(Tracer& tracer, BorrowedRef function,
                                               std::vector<symbolic::Value*> args);

// value as FORMAT_VALUE formats it; `spec` may be null.
absl::StatusOr<symbolic::Value*> DeferFormat(Tracer& tracer, symbolic::Value* value, int conversion,
                                             BorrowedRef spec);
// The pieces, all strs, as one.
absl::StatusOr<symbolic::Value*> DeferJoin(Tracer& tracer, std::vector<symbolic::Value*> pieces);

}  // namespace dynacc::tracer
