// Operators on values of any kind, as bytecode and the operator module mean them.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// A member of an enumeration of ints, floats or strs as the plain constant that it is to these
// special methods, where its class has them of int, float or str. Any other value as it is.
absl::StatusOr<symbolic::Value*> AsOperand(Tracer& tracer, symbolic::Value* value,
                                           absl::Span<const std::string> methods);

// `a op b` (NB_ADD ... of opcode.h, in-place forms included).
absl::StatusOr<symbolic::Value*> BinaryOperation(Tracer& tracer, int nb_op, symbolic::Value* a,
                                                 symbolic::Value* b);
// -a, +a, ~a (UNARY_NEGATIVE ...).
absl::StatusOr<symbolic::Value*> UnaryOperation(Tracer& tracer, int opcode, symbolic::Value* a);
// `a op b` (Py_LT ...).
absl::StatusOr<symbolic::Value*> CompareValues(Tracer& tracer, int compare_op, symbolic::Value* a,
                                               symbolic::Value* b);
// `a is b`, `item in container`, guarded.
absl::StatusOr<bool> SameObject(Tracer& tracer, symbolic::Value* a, symbolic::Value* b);
absl::StatusOr<bool> ContainedIn(Tracer& tracer, symbolic::Value* item, symbolic::Value* container);

// container[key], container[key] = item, del container[key].
absl::StatusOr<symbolic::Value*> Subscript(Tracer& tracer, symbolic::Value* container,
                                           symbolic::Value* key);
absl::Status StoreSubscript(Tracer& tracer, symbolic::Value* container, symbolic::Value* key,
                            symbolic::Value* item);
absl::Status DeleteSubscript(Tracer& tracer, symbolic::Value* container, symbolic::Value* key);

}  // namespace dynacc::tracer
