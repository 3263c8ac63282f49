#include "embed/interpreter/exit_callback.h"

namespace dynacc {
namespace {

void (*g_callback)() = nullptr;

PyObject* Call(PyObject*, PyObject*) {
  g_callback();
  Py_RETURN_NONE;
}

PyMethodDef definition = {"stop_capture", Call, METH_NOARGS,
                          "Stops capture before the interpreter is torn down."};

// A new reference to atexit, or null.
PyObject* ImportAtexit() {
  PyObject* modules = PyImport_GetModuleDict();
  const bool was_loaded = PyDict_GetItemString(modules, "atexit") != nullptr;
  PyObject* atexit = PyImport_ImportModule("atexit");
  if (!was_loaded && atexit != nullptr && PyDict_DelItemString(modules, "atexit") < 0)
    PyErr_Clear();
  return atexit;
}

bool Register() {
  PyObject* atexit = ImportAtexit();
  PyObject* function = PyCFunction_New(&definition, nullptr);
  PyObject* done = nullptr;
  if (atexit != nullptr && function != nullptr)
    done = PyObject_CallMethod(atexit, "register", "O", function);
  Py_XDECREF(function);
  Py_XDECREF(atexit);
  Py_XDECREF(done);
  return done != nullptr;
}

}  // namespace

bool CallAtExit(void (*callback)()) {
  g_callback = callback;
  if (Register()) return true;
  PyErr_Clear();
  return false;
}

}  // namespace dynacc
