// An isolated interpreter for a GoogleTest program, and a fixture that evaluates Python in it.
//
// Including this header starts CPython before the first test and finalises it after the last. Each
// test has globals of its own and must leave no exception set.
#pragma once

#include <Python.h>

#include <string>

#include "frontend/cpython/ref.h"
#include "gtest/gtest.h"

namespace dynacc {

class PythonEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    const PyStatus status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    ASSERT_FALSE(PyStatus_Exception(status)) << status.err_msg;
  }
  void TearDown() override { EXPECT_EQ(Py_FinalizeEx(), 0); }
};

inline testing::Environment* const python_environment =
    testing::AddGlobalTestEnvironment(new PythonEnvironment);

class PythonTest : public testing::Test {
 protected:
  PythonTest() : globals_(Ref::Steal(PyDict_New())) {
    PyDict_SetItemString(globals_.get(), "__builtins__", PyEval_GetBuiltins());
  }
  ~PythonTest() override {
    if (PyErr_Occurred()) {
      PyErr_Print();
      ADD_FAILURE() << "an exception was left set";
    }
  }

  BorrowedRef globals() const { return globals_.get(); }

  // The value of an expression in the test's globals; null (and a failure) if it raises.
  Ref Eval(const std::string& expression) const { return Run(expression, Py_eval_input); }
  void Exec(const std::string& statements) const { Run(statements, Py_file_input); }

 private:
  Ref Run(const std::string& code, int start) const {
    Ref result = Ref::Steal(PyRun_String(code.c_str(), start, globals_.get(), globals_.get()));
    if (!result) {
      PyErr_Print();
      ADD_FAILURE() << "raised: " << code;
    }
    return result;
  }

  Ref globals_;
};

}  // namespace dynacc
