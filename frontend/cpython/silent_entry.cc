#include "frontend/cpython/silent_entry.h"

#include "frontend/cpython/layout.h"

namespace dynacc {
namespace {

// What the stand-ins of this thread stand for; null: there is none.
thread_local Py_tracefunc t_trace = nullptr;
thread_local Py_tracefunc t_profile = nullptr;

int PlaceholderForTrace(PyObject*, PyFrameObject*, int, PyObject*) {
  PyThreadState_Get()->c_tracefunc = t_trace;
  return 0;
}
int PlaceholderForProfile(PyObject*, PyFrameObject*, int, PyObject*) {
  PyThreadState_Get()->c_profilefunc = t_profile;
  return 0;
}

}  // namespace

// While a trace function runs (`tracing`), CPython reports nothing: the event would not come.
SilentEntry::SilentEntry(PyThreadState* thread) : thread_(thread) {
  if (!IsTracing(thread) || thread->tracing != 0) return;
  if (thread->c_tracefunc != nullptr) {
    t_trace = thread->c_tracefunc;
    thread->c_tracefunc = PlaceholderForTrace;
  }
  if (thread->c_profilefunc != nullptr) {
    t_profile = thread->c_profilefunc;
    thread->c_profilefunc = PlaceholderForProfile;
  }
}

// The loop may have failed before the event (recursion limit).
SilentEntry::~SilentEntry() {
  if (thread_->c_tracefunc == PlaceholderForTrace) thread_->c_tracefunc = t_trace;
  if (thread_->c_profilefunc == PlaceholderForProfile) thread_->c_profilefunc = t_profile;
}

}  // namespace dynacc
