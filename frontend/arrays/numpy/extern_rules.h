// The shapes of what NumPy's functions give, for functions that NumPy itself runs (Extern nodes).
#pragma once

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/arrays/numpy/bound_args.h"
#include "frontend/arrays/numpy/sizes.h"

namespace dynacc {

// The result's shape; nothing where only trying out tells. GraphBreak for arguments with which the
// function must not become a node: the result would be a view, or its sizes depend on values.
using ExternRule = absl::StatusOr<std::optional<Shape>>(TraceContext& trace, const BoundArgs& args);

struct NumpyExternRow {
  const char* name;
  ExternRule* rule;
  const char* signature;
};

#define DYNACC_NUMPY_EXTERN(name, rule, signature) ExternRule rule;
#define DYNACC_NUMPY_EXTERN_METHOD(name, rule, signature) ExternRule rule;
#include "frontend/arrays/numpy/numpy_externs.def"
#undef DYNACC_NUMPY_EXTERN
#undef DYNACC_NUMPY_EXTERN_METHOD

// Rules of ufuncs' methods.
ExternRule ReducedFirst;
ExternRule OuterBroadcast;

// The rows of numpy_externs.def: of functions and of ndarray's methods.
absl::Span<const NumpyExternRow> NumpyExternFunctions();
absl::Span<const NumpyExternRow> NumpyExternMethods();

// What is not traced NumPy may do itself, unless it is going to raise.
absl::StatusOr<Value*> OrByLibrary(absl::StatusOr<Value*> traced,
                                   absl::FunctionRef<absl::StatusOr<Value*>()> by_library);

// Traces a call of the row's function, or (self given) of the method of that name.
absl::StatusOr<Value*> CallExternRow(TraceContext& trace, const NumpyExternRow& row,
                                     BorrowedRef callable, Value* self, const CallArgs& args);

// The shape that the values broadcast to; nothing if one of them is neither array nor number.
absl::StatusOr<std::optional<Shape>> BroadcastShapeOf(TraceContext& trace,
                                                      absl::Span<Value* const> values);

// A call of any function that works element by element, with broadcasting: ufuncs and operators.
absl::StatusOr<Value*> CallElementwiseExtern(TraceContext& trace, BorrowedRef callable,
                                             const CallArgs& args);

}  // namespace dynacc
