#include "frontend/cpython/evaluator.h"

namespace dynacc {

bool RunsSignalHandlers() {
  return PyThread_get_thread_ident() == _PyRuntime.main_thread &&
         PyInterpreterState_Get() == PyInterpreterState_Main();
}

bool SignalsWait() { return AnySignalWaits() && RunsSignalHandlers(); }

// The main interpreter's state is one static struct; its modules dict tells its lives apart.
Py_ssize_t CodeExtraIndex(freefunc free) {
  static const PyInterpreterState* known_interpreter = nullptr;
  static const PyObject* known_modules = nullptr;
  static Py_ssize_t index = -1;
  const PyInterpreterState* interpreter = PyThreadState_Get()->interp;
  if (interpreter != known_interpreter || LoadedModules(interpreter) != known_modules) {
    known_interpreter = interpreter;
    known_modules = LoadedModules(interpreter);
    index = RequestCodeExtra(free);
  }
  return index;
}

bool SetCodeExtra(PyCodeObject* code, Py_ssize_t index, void* extra) {
  return StoreCodeExtra(reinterpret_cast<PyObject*>(code), index, extra) == 0;
}

}  // namespace dynacc
