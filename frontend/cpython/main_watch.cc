#include "frontend/cpython/main_watch.h"

#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/internals.h"

namespace dynacc {
namespace {

bool (*g_wanted)(PyCodeObject* code) = nullptr;
void (*g_before)() = nullptr;

bool IsMainBody(const _PyInterpreterFrame* frame) {
  if ((frame->f_code->co_flags & CO_OPTIMIZED) != 0 || frame->f_locals != frame->f_globals)
    return false;
  PyObject* name = PyDict_GetItemString(frame->f_globals, "__name__");
  return name != nullptr && PyUnicode_Check(name) &&
         PyUnicode_CompareWithASCIIString(name, "__main__") == 0;
}

PyObject* Evaluate(PyThreadState* thread, _PyInterpreterFrame* frame, int throwflag) {
  if (throwflag != 0 || !IsMainBody(frame))
    return _PyEval_EvalFrameDefault(thread, frame, throwflag);
  StoreEvaluator(thread->interp, nullptr);
  if (g_wanted(frame->f_code)) g_before();
  const _PyFrameEvalFunction next = LoadEvaluator(thread->interp);
  return (next == nullptr ? _PyEval_EvalFrameDefault : next)(thread, frame, throwflag);
}

}  // namespace

void WatchForMain(bool (*wanted)(PyCodeObject* code), void (*before)()) {
  g_wanted = wanted;
  g_before = before;
  ReplaceEvaluator(PyThreadState_Get()->interp, nullptr, Evaluate);
}

}  // namespace dynacc
