#include "frontend/cpython/program_watch.h"

#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/interpreter_frame.h"

namespace dynacc {

namespace {

bool (*g_main_wanted)(PyCodeObject* code) = nullptr;
void (*g_before_main)() = nullptr;

bool IsMainBody(const _PyInterpreterFrame* frame) {
  if ((CodeOf(frame)->co_flags & CO_OPTIMIZED) != 0 || frame->f_locals != frame->f_globals)
    return false;
  PyObject* name = PyDict_GetItemString(frame->f_globals, "__name__");
  return name != nullptr && PyUnicode_Check(name) &&
         PyUnicode_CompareWithASCIIString(name, "__main__") == 0;
}

PyObject* Evaluate(PyThreadState* thread, _PyInterpreterFrame* frame, int throwflag) {
  if (throwflag != 0 || !IsMainBody(frame))
    return _PyEval_EvalFrameDefault(thread, frame, throwflag);
  StoreEvaluator(thread->interp, nullptr);
  if (g_main_wanted(CodeOf(frame))) g_before_main();
  const _PyFrameEvalFunction next = LoadEvaluator(thread->interp);
  return (next == nullptr ? _PyEval_EvalFrameDefault : next)(thread, frame, throwflag);
}

}  // namespace

void WatchForMain(bool (*wanted)(PyCodeObject* code), void (*before)()) {
  g_main_wanted = wanted;
  g_before_main = before;
  ReplaceEvaluator(PyThreadState_Get()->interp, nullptr, Evaluate);
}

namespace {

bool (*g_extension_wanted)(PyObject* name) = nullptr;
void (*g_before_extension)() = nullptr;
PyMethodDef* g_row = nullptr;
_PyCFunctionFast g_original = nullptr;

bool IsWanted(PyObject* spec) {
  PyObject* name = PyObject_GetAttrString(spec, "name");
  if (name == nullptr) PyErr_Clear();
  const bool wanted = name != nullptr && g_extension_wanted(name);
  Py_XDECREF(name);
  return wanted;
}

PyObject* CreateDynamic(PyObject* module, PyObject* const* args, Py_ssize_t count) {
  if (g_row != nullptr && count > 0 && IsWanted(args[0])) {
    g_row->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(g_original));
    g_row = nullptr;
    g_before_extension();
  }
  return g_original(module, args, count);
}

// Null, with no exception set, if it is not what CPython 3.11 has there.
PyMethodDef* RowOfCreateDynamic() {
  PyObject* module = PyImport_ImportModule("_imp");
  PyObject* function =
      module == nullptr ? nullptr : PyObject_GetAttrString(module, "create_dynamic");
  PyMethodDef* row = nullptr;
  if (function == nullptr) {
    PyErr_Clear();
  } else if (PyCFunction_CheckExact(function)) {
    row = reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  }
  Py_XDECREF(function);
  Py_XDECREF(module);
  return row != nullptr && row->ml_flags == METH_FASTCALL ? row : nullptr;
}

}  // namespace

bool WatchForExtension(bool (*wanted)(PyObject* name), void (*before)()) {
  PyMethodDef* const row = RowOfCreateDynamic();
  if (row == nullptr) return false;
  g_extension_wanted = wanted;
  g_before_extension = before;
  g_row = row;
  g_original = reinterpret_cast<_PyCFunctionFast>(reinterpret_cast<void (*)()>(row->ml_meth));
  row->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(CreateDynamic));
  return true;
}

}  // namespace dynacc
