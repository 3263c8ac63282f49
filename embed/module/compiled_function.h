// CompiledFunction: what dynacc.compile returns; DisabledFunction: what dynacc.disable does.
//
//   CompiledFunction(function, fullgraph, dynamic, backend, settings)
//   DisabledFunction(callable)
//
// `backend`: None, the name of a target, or a callable as frontend/capture/python_backend.h calls
// it. `settings`: a dict of options (option_values.h) and of the callables on_graph_break and
// on_recompile.
//
// A CompiledFunction owns a compilation (frontend/cache/compilation.h): the function itself is as
// it was. Both bind as methods, have a __dict__ for what functools.update_wrapper copies, pickle by
// reference, and pass exceptions through. Calls take the vectorcall path: no tuple of arguments is
// made.
#pragma once

#include <Python.h>

#include "frontend/cache/compilation.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// Adds both types to the module; false with an exception set.
bool AddFunctionTypes(PyObject* module);

// What a CompiledFunction runs; nulls (and no exception) for any other object.
struct CompiledCallable {
  BorrowedRef function = nullptr;
  cache::Compilation* compilation = nullptr;
};
CompiledCallable FunctionBehind(BorrowedRef callable);

}  // namespace dynacc
