// The end of a daemon thread when the interpreter is finalised.
//
// CPython before 3.14 calls pthread_exit in a thread that asks for the GIL then. That unwinds the
// stack, and the destructors of our frames between CPython's would drop references and count
// without the GIL, while another thread finalises. Such a thread waits for the process's end
// instead, as in CPython 3.14 (PyThread_hang_thread). The launcher has a pthread_exit that does so
// (embed/launcher/thread_end.cc); in a stock python3, or a host, the unwinding is stopped where our
// frames call CPython.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace dynacc {

// Whether the interpreter is being finalised. Needs no GIL.
inline bool IsFinalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// What `call`, which asks for the GIL or lets CPython do so, returns. What lies between it and
// CPython is unwound all the same, so this stands as near to CPython as it can. The C library's
// unwinding has no object of the class that is caught, which UndefinedBehaviorSanitizer minds.
template <typename Call>
__attribute__((no_sanitize("undefined"))) auto UpToThreadEnd(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

}  // namespace dynacc
