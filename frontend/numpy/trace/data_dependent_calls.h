// Calls of NumPy's functions whose result has a size that depends on values.
//
// The size is a data-dependent number of the scalar program, which the node of the call defines:
// the trace goes on with it as with any other size. What it needs to know of it (that it is not 0,
// that two are the same) is looked at when the graph has run so far (TraceContext::RequireTrue).
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/library_call.h"

namespace dynacc::numpy {

// The shapes of the results, `size` being the new one. NotFound if the size of this call is known;
// GraphBreak for arguments with which the function must not become a node.
using DataDependentRule = absl::StatusOr<DataDependentResult>(symbolic::TraceContext& trace,
                                                              const BoundArgs& args, Size size);

struct NumpyDataDependentRow {
  const char* name;
  DataDependentRule* rule;
  const char* signature;
};

#define DYNACC_NUMPY_DATA_DEPENDENT(name, rule, signature) DataDependentRule rule;
#define DYNACC_NUMPY_DATA_DEPENDENT_METHOD(name, rule, signature) DataDependentRule rule;
#include "frontend/numpy/trace/numpy_data_dependent.def"
#undef DYNACC_NUMPY_DATA_DEPENDENT
#undef DYNACC_NUMPY_DATA_DEPENDENT_METHOD

// The rows of numpy_data_dependent.def: of functions and of ndarray's methods.
absl::Span<const NumpyDataDependentRow> NumpyDataDependentFunctions();
absl::Span<const NumpyDataDependentRow> NumpyDataDependentMethods();

// Traces a call of the row's function, or (self given) of the method of that name. NotFound if its
// size is known.
absl::StatusOr<symbolic::Value*> CallDataDependentRow(symbolic::TraceContext& trace,
                                                      const NumpyDataDependentRow& row,
                                                      BorrowedRef callable, symbolic::Value* self,
                                                      const arrays::CallArgs& args);

// How many elements the mask selects: a data-dependent size, new or known from an earlier use of
// the mask. `defines` says whether the caller's call must define it.
Size SelectedBy(symbolic::TraceContext& trace, const ir::Node* mask, bool* defines);

}  // namespace dynacc::numpy
