#include "embed/host/python_scope.h"

#include "embed/host/call_gate.h"

namespace dynacc {
namespace {

// Calls that this thread is in: a function of the host's that Python calls may call in turn.
thread_local int t_calls = 0;

// The Python thread state of this thread of the host; null before its first scope, and in threads
// that Python made.
thread_local PyThreadState* t_thread = nullptr;

// The Python thread state of a host thread, made at its first call and dropped when it ends.
class ThreadAttachment {
 public:
  ThreadAttachment() : state_(PyGILState_Ensure()) { t_thread = PyEval_SaveThread(); }
  ~ThreadAttachment() {
    t_thread = nullptr;
    if (TheCallGate().forked()) return;
    PyGILState_Ensure();  // the same thread state again: now it is entered twice
    PyGILState_Release(PyGILState_LOCKED);
    PyGILState_Release(state_);
  }

 private:
  PyGILState_STATE state_;
};

}  // namespace

// A thread of the host takes the GIL for its own state, which is quicker than to look for one.
// Python's own threads have theirs; only one of the host's must keep it from here on.
GilScope::GilScope() : thread_(t_thread) {
  if (thread_ == nullptr && PyGILState_GetThisThreadState() == nullptr) {
    thread_local ThreadAttachment attachment;
    thread_ = t_thread;
  }
  if (thread_ == nullptr || PyGILState_Check()) {
    thread_ = nullptr;
    state_ = PyGILState_Ensure();
  } else {
    PyEval_RestoreThread(thread_);
  }
}

GilScope::~GilScope() {
  if (thread_ != nullptr) {
    PyEval_SaveThread();
  } else {
    PyGILState_Release(state_);
  }
}

CallScope::CallScope() : status_(t_calls > 0 ? TheCallGate().Enter() : TheCallGate().EnterCall()) {
  if (status_.ok()) ++t_calls;
}
CallScope::~CallScope() {
  if (!status_.ok()) return;
  --t_calls;
  TheCallGate().Leave();
}

GateScope::GateScope() : status_(TheCallGate().Enter()) {}
GateScope::~GateScope() {
  if (status_.ok()) TheCallGate().Leave();
}

}  // namespace dynacc
