// Operators on values of any kind, as bytecode and the operator module mean them.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

// A member of an enumeration of ints, floats or strs as the plain constant that it is to these
// special methods, where its class has them of int, float or str. Any other value as it is.
absl::StatusOr<Value*> AsOperand(Tracer& tracer, Value* value,
                                 absl::Span<const std::string> methods);

// `a op b` (NB_ADD ... of opcode.h, in-place forms included).
absl::StatusOr<Value*> BinaryOperation(Tracer& tracer, int nb_op, Value* a, Value* b);
// -a, +a, ~a (UNARY_NEGATIVE ...).
absl::StatusOr<Value*> UnaryOperation(Tracer& tracer, int opcode, Value* a);
// `a op b` (Py_LT ...).
absl::StatusOr<Value*> CompareValues(Tracer& tracer, int compare_op, Value* a, Value* b);
// `a is b`, `item in container`, guarded.
absl::StatusOr<bool> SameObject(Tracer& tracer, Value* a, Value* b);
absl::StatusOr<bool> ContainedIn(Tracer& tracer, Value* item, Value* container);

// container[key], container[key] = item, del container[key].
absl::StatusOr<Value*> Subscript(Tracer& tracer, Value* container, Value* key);
absl::Status StoreSubscript(Tracer& tracer, Value* container, Value* key, Value* item);
absl::Status DeleteSubscript(Tracer& tracer, Value* container, Value* key);

}  // namespace dynacc
