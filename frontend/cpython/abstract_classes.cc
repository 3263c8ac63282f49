#include "frontend/cpython/abstract_classes.h"

namespace dynacc {
namespace {

// Module _abc's own function; null without that module.
BorrowedRef TokenFunction() {
  static PyObject* const function = []() -> PyObject* {
    const Ref name = Ref::Steal(PyUnicode_InternFromString("_abc"));
    const Ref module = Ref::Steal(PyImport_GetModule(name.get()));
    if (!module || !PyModule_CheckExact(module.get())) return nullptr;
    PyObject* found = PyDict_GetItemString(PyModule_GetDict(module.get()), "get_cache_token");
    return found != nullptr && PyCFunction_CheckExact(found) ? Py_NewRef(found) : nullptr;
  }();
  return function;
}

}  // namespace

int64_t AbstractClassesToken() {
  BorrowedRef function = TokenFunction();
  if (function == nullptr) return -1;
  const Ref token = Ref::Steal(PyObject_CallNoArgs(function));
  const int64_t value =
      token && PyLong_CheckExact(token.get()) ? PyLong_AsLongLong(token.get()) : -1;
  PyErr_Clear();
  return value;
}

}  // namespace dynacc
