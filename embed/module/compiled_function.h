// CompiledFunction: what dynacc.compile returns.
//
//   CompiledFunction(function, fullgraph, dynamic, fast_math, backend)
//
// `backend`: the name of a target, or a callable as frontend/capture/python_backend.h calls it.
// A callable around a Python function that is captured whatever the policy. It binds as a method,
// has a __dict__ for what functools.update_wrapper copies, pickles by reference, and passes
// exceptions through. Calls take the vectorcall path: no tuple of arguments is made.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// A new reference to the type, or null with an exception set.
Ref MakeCompiledFunctionType(BorrowedRef module);

// The Python function that such a callable calls; null (and no exception) for any other object.
BorrowedRef FunctionBehind(BorrowedRef callable);

}  // namespace dynacc
