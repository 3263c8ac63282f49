// The table of NumPy's callables: from an object to the ways in which a call of it is traced.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/trace/data_dependent_calls.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/pure_calls.h"

namespace dynacc::numpy {

using TraceCall = absl::StatusOr<symbolic::Value*>(symbolic::TraceContext& trace,
                                                   BorrowedRef callable,
                                                   const arrays::CallArgs& args);

struct NumpyCallable {
  // Traces each call by itself (ufuncs, draws, what is called at capture). The rows below are then
  // not looked at.
  TraceCall* whole = nullptr;
  // Otherwise these are tried, in this order.
  const NumpyDataDependentRow* data_dependent = nullptr;  // the result's size depends on values
  const NumpyFunctionRow* traced = nullptr;               // ops of the graph
  const NumpyLibraryCallRow* library = nullptr;           // a call of NumPy itself
  // What the call is made of that `whole` makes at capture.
  const NumpyPureRow* pure = nullptr;
  // The Python function whose code is traced in the object's place (inlined.h), or null. Then
  // there may be no way above.
  Ref inlined;

  bool is_traced() const {
    return whole != nullptr || data_dependent != nullptr || traced != nullptr || library != nullptr;
  }
};

// Fills the table; once.
void LoadCallables(BorrowedRef numpy_module);
// Adds the rows of numpy_library_calls.def whose functions have been imported meanwhile.
void LoadLibraryCalls(BorrowedRef numpy_module);

// The entry of an object, made where there is none. The object is kept alive, so that no other one
// can ever be at its address.
NumpyCallable& LearnCallable(BorrowedRef object);

// Null if it is none that the tracer knows. Needs the GIL.
const NumpyCallable* FindCallable(BorrowedRef callable);
// ndarray's method of that name.
const NumpyCallable* FindArrayMethod(absl::string_view name);

// The rows of an object; null if it has none, or is null.
const NumpyFunctionRow* TracedRowOf(BorrowedRef callable);
const NumpyLibraryCallRow* LibraryRowOf(BorrowedRef callable);

// The function object of that name in numpy_functions.def; null if NumPy has it no more.
BorrowedRef FunctionNamed(absl::string_view name);

}  // namespace dynacc::numpy
