#include "frontend/cpython/evaluator.h"

#include <cerrno>
#include <mutex>
#include <utility>

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

namespace {

// The extents of all threads. Its lock is for threads that end in one while the interpreter is
// finalised, and so have no GIL.
struct Extents {
  std::mutex mutex;
  HeldInterruptions* latest = nullptr;
};

Extents& TheExtents() {
  static auto& extents = *new Extents;
  return extents;
}

}  // namespace

HeldInterruptions::HeldInterruptions()
    : errno_(errno),
      thread_(PyThreadState_Get()),
      thread_id_(PyThread_get_thread_ident()),
      main_thread_(RunsSignalHandlers() ? _PyRuntime.main_thread : 0) {
  if (main_thread_ != 0) _PyRuntime.main_thread = 0;
  asynchronous_ = __atomic_exchange_n(&thread_->async_exc, nullptr, __ATOMIC_RELAXED);
  const std::lock_guard lock(TheExtents().mutex);
  earlier_ = std::exchange(TheExtents().latest, this);
}

// A thread that ended in the extent, for the interpreter is being finalised, has no state any more;
// the main thread does not end so.
HeldInterruptions::~HeldInterruptions() {
  {
    const std::lock_guard lock(TheExtents().mutex);
    HeldInterruptions** place = &TheExtents().latest;
    while (*place != this) place = &(*place)->earlier_;
    *place = earlier_;
  }
  errno = errno_;
  if (main_thread_ != 0) _PyRuntime.main_thread = main_thread_;
  if (main_thread_ == 0 && asynchronous_ == nullptr) return;
  if (asynchronous_ != nullptr) PyThreadState_SetAsyncExc(thread_->thread_id, asynchronous_);
  Py_XDECREF(asynchronous_);
  PollAgain(thread_);
}

void RaiseInThread(unsigned long thread, PyObject* type) {
  HeldInterruptions* outermost = nullptr;
  {
    const std::lock_guard lock(TheExtents().mutex);
    for (HeldInterruptions* held = TheExtents().latest; held != nullptr; held = held->earlier_) {
      if (held->thread_id_ == thread) outermost = held;
    }
  }
  if (outermost == nullptr) {
    PyThreadState_SetAsyncExc(thread, type);
    return;
  }
  PyObject* const before = std::exchange(outermost->asynchronous_, Py_NewRef(type));
  Py_XDECREF(before);
}

bool SetCodeExtra(PyCodeObject* code, Py_ssize_t index, void* extra) {
  return StoreCodeExtra(reinterpret_cast<PyObject*>(code), index, extra) == 0;
}

}  // namespace dynacc
