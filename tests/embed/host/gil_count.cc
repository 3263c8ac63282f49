#include "tests/embed/host/gil_count.h"

#include <Python.h>
#include <dlfcn.h>

namespace {

thread_local int t_taken = 0;

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) PyGILState_STATE PyGILState_Ensure() {
  static auto* const next = Next<PyGILState_STATE()>("PyGILState_Ensure");
  const PyGILState_STATE state = next();
  if (state == PyGILState_UNLOCKED) ++t_taken;
  return state;
}

__attribute__((visibility("default"))) void PyEval_RestoreThread(PyThreadState* thread) {
  static auto* const next = Next<void(PyThreadState*)>("PyEval_RestoreThread");
  next(thread);
  ++t_taken;
}

}  // extern "C"

namespace dynacc {

int TimesGilTaken() { return t_taken; }

}  // namespace dynacc
