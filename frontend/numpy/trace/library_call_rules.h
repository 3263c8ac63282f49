// The shapes of what NumPy's functions give, for functions that NumPy itself runs (LibraryCall
// nodes).
#pragma once

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// The result's shape; nothing where only trying out tells. GraphBreak for arguments with which the
// function must not become a node: the result would be a view, or its sizes depend on values.
using LibraryCallRule = absl::StatusOr<std::optional<Shape>>(symbolic::TraceContext& trace,
                                                             const BoundArgs& args);

struct NumpyLibraryCallRow {
  const char* name;
  LibraryCallRule* rule;
  const char* signature;
};

#define DYNACC_NUMPY_LIBRARY_CALL(name, rule, signature) LibraryCallRule rule;
#define DYNACC_NUMPY_LIBRARY_CALL_METHOD(name, rule, signature) LibraryCallRule rule;
#include "frontend/numpy/trace/numpy_library_calls.def"
#undef DYNACC_NUMPY_LIBRARY_CALL
#undef DYNACC_NUMPY_LIBRARY_CALL_METHOD

// Rules of ufuncs' methods.
LibraryCallRule ReducedFirst;
LibraryCallRule OuterBroadcast;

// The rows of numpy_library_calls.def: of functions and of ndarray's methods.
absl::Span<const NumpyLibraryCallRow> NumpyLibraryCallFunctions();
absl::Span<const NumpyLibraryCallRow> NumpyLibraryCallMethods();

// What is not traced NumPy may do itself, unless it is going to raise.
absl::StatusOr<symbolic::Value*> OrByLibrary(
    absl::StatusOr<symbolic::Value*> traced,
    absl::FunctionRef<absl::StatusOr<symbolic::Value*>()> by_library);

// Traces a call of the row's function, or (self given) of the method of that name.
absl::StatusOr<symbolic::Value*> CallLibraryRow(symbolic::TraceContext& trace,
                                                const NumpyLibraryCallRow& row,
                                                BorrowedRef callable, symbolic::Value* self,
                                                const arrays::CallArgs& args);

// The shape that the values broadcast to; nothing if one of them is neither array nor number.
absl::StatusOr<std::optional<Shape>> BroadcastShapeOf(symbolic::TraceContext& trace,
                                                      absl::Span<symbolic::Value* const> values);

// A call of any function that works element by element, with broadcasting: ufuncs and operators.
absl::StatusOr<symbolic::Value*> CallElementwiseLibrary(symbolic::TraceContext& trace,
                                                        BorrowedRef callable,
                                                        const arrays::CallArgs& args);

}  // namespace dynacc::numpy
