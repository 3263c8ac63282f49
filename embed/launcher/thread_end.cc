// What ends a daemon thread when the interpreter is finalised.
//
// CPython before 3.14 calls pthread_exit in a thread that asks for the GIL then. That unwinds the
// stack, and so runs the destructors of our frames between CPython's, which drop references without
// the GIL while another thread finalises. Such a thread waits here for the process's end instead,
// as in CPython 3.14 (PyThread_hang_thread). This definition stands before the C library's.
#include "frontend/cpython/thread_end.h"

#include <dlfcn.h>
#include <unistd.h>

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc has a reserved one.
extern "C" __attribute__((visibility("default"), noreturn)) void pthread_exit(void* result) {
  if (dynacc::IsFinalizing()) {
    for (;;) pause();
  }
  using Exit = void (*)(void*);
  reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "pthread_exit"))(result);
  __builtin_unreachable();
}
