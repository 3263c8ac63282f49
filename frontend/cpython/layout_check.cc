#include "frontend/cpython/layout_check.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/evaluator.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::Status Misfit(absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("this CPython ", Py_GetVersion(), " is not laid out as the ", PY_VERSION,
                   " that DynaCC was built with (", what, "); build DynaCC with its headers"));
}

PyObject* ProbeEvaluator(PyThreadState* thread, InterpreterFrame* frame, int throws) {
  return _PyEval_EvalFrameDefault(thread, frame, throws);
}

// The slot changes when CPython's function is asked to change it. No Python code runs meanwhile.
bool EvaluatorIsInPlace(PyInterpreterState* interpreter) {
  const _PyFrameEvalFunction before = _PyInterpreterState_GetEvalFrameFunc(interpreter);
  _PyInterpreterState_SetEvalFrameFunc(interpreter, ProbeEvaluator);
  const bool is_there = LoadEvaluator(interpreter) == ProbeEvaluator;
  _PyInterpreterState_SetEvalFrameFunc(interpreter, before);
  return is_there;
}

bool CallableCacheIsInPlace(const PyInterpreterState* interpreter) {
  return interpreter->callable_cache.list_append ==
         PyDict_GetItemString(TypeDict(&PyList_Type), "append");
}

}  // namespace

absl::Status CheckLayout() {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<LayoutFact> facts, LayoutFacts());
  for (const LayoutFact& fact : facts) {
    if (fact.compiled == fact.running) continue;
    return Misfit(absl::StrCat(fact.name, " is ", fact.running, ", not ", fact.compiled));
  }
  PyThreadState* const thread = PyThreadState_Get();
  PyInterpreterState* const interpreter = thread->interp;
  if (interpreter != PyInterpreterState_Get()) return Misfit("the thread's interpreter");
  if (LoadedModules(interpreter) != PyImport_GetModuleDict()) return Misfit("the loaded modules");
  if (!CallableCacheIsInPlace(interpreter)) return Misfit("the cache of callables");
  if (!EvaluatorIsInPlace(interpreter)) return Misfit("the frame evaluator");
  return absl::OkStatus();
}

}  // namespace dynacc
