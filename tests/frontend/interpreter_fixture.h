// An interpreter for the tests of a program, and running source text in it.
#pragma once

#include <Python.h>
#include <gtest/gtest.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

class Interpreter : public testing::Environment {
 public:
  void SetUp() override { Py_InitializeEx(0); }
  void TearDown() override { Py_FinalizeEx(); }
};

// Runs `source` as a module body and gives its globals. Prints what it raises.
inline Ref Globals(const char* source) {
  Ref globals = Ref::Steal(PyDict_New());
  PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins());
  Ref done = Ref::Steal(PyRun_String(source, Py_file_input, globals.get(), globals.get()));
  if (!done) PyErr_Print();
  return globals;
}

inline BorrowedRef Get(const Ref& globals, const char* name) {
  return PyDict_GetItemString(globals.get(), name);
}

}  // namespace dynacc
