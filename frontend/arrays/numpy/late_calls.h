// Calls of NumPy's functions whose result has a size that depends on values.
//
// The size is a late number of the scalar program, which the node of the call defines: the trace
// goes on with it as with any other size. What it needs to know of it (that it is not 0, that two
// are the same) is looked at when the graph has run so far (TraceContext::RequireTrue).
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/numpy/bound_args.h"
#include "frontend/arrays/numpy/extern_call.h"

namespace dynacc {

// The shapes of the results, `late` being the new size. NotFound if the size of this call is known;
// GraphBreak for arguments with which the function must not become a node.
using LateRule = absl::StatusOr<LateResult>(TraceContext& trace, const BoundArgs& args, Size late);

struct NumpyLateRow {
  const char* name;
  LateRule* rule;
  const char* signature;
};

#define DYNACC_NUMPY_LATE(name, rule, signature) LateRule rule;
#define DYNACC_NUMPY_LATE_METHOD(name, rule, signature) LateRule rule;
#include "frontend/arrays/numpy/numpy_late.def"
#undef DYNACC_NUMPY_LATE
#undef DYNACC_NUMPY_LATE_METHOD

// The rows of numpy_late.def: of functions and of ndarray's methods.
absl::Span<const NumpyLateRow> NumpyLateFunctions();
absl::Span<const NumpyLateRow> NumpyLateMethods();

// Traces a call of the row's function, or (self given) of the method of that name. NotFound if its
// size is known.
absl::StatusOr<Value*> CallLateRow(TraceContext& trace, const NumpyLateRow& row,
                                   BorrowedRef callable, Value* self, const CallArgs& args);

// How many elements the mask selects: a late size, new or known from an earlier use of the mask.
// `defines` says whether the caller's call must define it.
Size SelectedBy(TraceContext& trace, const Node* mask, bool* defines);

}  // namespace dynacc
