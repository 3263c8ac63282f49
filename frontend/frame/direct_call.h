// A call of a compiled function without a frame.
//
// Where one entry covers the whole call (from the first instruction to a return, nothing left
// behind but the value) CPython's frame would only be made to be dropped: the guards read the
// arguments where the caller has them.
#pragma once

#include <Python.h>

namespace dynacc {

// Calls `function` so if it can be done; `*result` is then its value. False: nothing has happened,
// and the function is to be called. Arguments as of the vectorcall protocol.
bool CallDirectly(PyObject* function, PyObject* const* args, size_t nargsf, PyObject* kwnames,
                  PyObject** result);

}  // namespace dynacc
