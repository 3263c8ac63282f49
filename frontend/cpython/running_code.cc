#include "frontend/cpython/running_code.h"

#include "frontend/cpython/interpreter_frame.h"

#define Py_BUILD_CORE 1
#include <internal/pycore_runtime.h>
#undef Py_BUILD_CORE

namespace dynacc {
namespace {

bool Runs(const PyThreadState* thread, const PyCodeObject* code) {
  for (const InterpreterFrame* frame = CurrentFrame(thread); frame != nullptr;
       frame = frame->previous) {
    if (frame->f_code == code) return true;
  }
  return false;
}

}  // namespace

bool AnyFrameRuns(const PyCodeObject* code) {
  PyInterpreterState* interpreter = PyThreadState_Get()->interp;
  // Threads that end take themselves out of the list.
  PyThread_acquire_lock(_PyRuntime.interpreters.mutex, WAIT_LOCK);
  bool found = false;
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(interpreter);
       thread != nullptr && !found; thread = thread->next) {
    found = Runs(thread, code);
  }
  PyThread_release_lock(_PyRuntime.interpreters.mutex);
  return found;
}

}  // namespace dynacc
