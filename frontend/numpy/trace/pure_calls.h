// Calls that are made at capture (numpy_pure.def): what they give is a constant of the trace, as
// their arguments are. An array among the arguments is stood for by one of its dtype and rank.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

struct NumpyPureRow;  // of numpy_pure.def

// Adds the objects of the table to the callables.
void LearnPureFunctions(BorrowedRef numpy_module);
absl::StatusOr<symbolic::Value*> CallPure(symbolic::TraceContext& trace, BorrowedRef callable,
                                          const arrays::CallArgs& args);

// Whether it is one of NumPy's own dtypes, of which there is one object each.
bool IsBuiltinDType(BorrowedRef object);
// Whether two values are equal, one of which is a builtin dtype and the other one stands for one,
// as "f8", float and np.float64 do: True or False. Null for anything else, and where NumPy warns.
Ref EqualDTypes(symbolic::TraceContext& trace, symbolic::Value* a, symbolic::Value* b);
// What `object.name` is for a builtin dtype, or what finfo or iinfo gave: a number, a text, a
// class. Null for anything else.
Ref ConstantAttribute(BorrowedRef object, absl::string_view name);

}  // namespace dynacc::numpy
