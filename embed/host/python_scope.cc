#include "embed/host/python_scope.h"

#include "embed/host/call_gate.h"

namespace dynacc {
namespace {

// The Python thread state of a host thread, made at its first call and dropped when it ends.
class ThreadAttachment {
 public:
  ThreadAttachment() : state_(PyGILState_Ensure()) { PyEval_SaveThread(); }
  ~ThreadAttachment() {
    if (TheCallGate().forked()) return;
    PyGILState_Ensure();  // the same thread state again: now it is entered twice
    PyGILState_Release(PyGILState_LOCKED);
    PyGILState_Release(state_);
  }

 private:
  PyGILState_STATE state_;
};

PyGILState_STATE TakeGil() {
  // Python's own threads have their state; only one of the host's must keep it from here on.
  if (PyGILState_GetThisThreadState() == nullptr) {
    thread_local ThreadAttachment attachment;
  }
  return PyGILState_Ensure();
}

}  // namespace

GilScope::GilScope() : state_(TakeGil()) {}
GilScope::~GilScope() { PyGILState_Release(state_); }

GateScope::GateScope() : status_(TheCallGate().Enter()) {}
GateScope::~GateScope() {
  if (status_.ok()) TheCallGate().Leave();
}

}  // namespace dynacc
