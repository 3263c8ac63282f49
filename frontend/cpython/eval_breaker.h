// The eval breaker as a word in memory, for code that looks at it between two steps of its own.
#pragma once

#include "frontend/cpython/internals.h"

namespace dynacc {

// Not 0 when the interpreter loop is wanted: signals, pending calls, a request for the GIL, an
// asynchronous exception. Lives as long as the interpreter; to be read atomically.
inline const int* EvalBreakerWord(const PyThreadState* thread) {
  static_assert(sizeof(thread->interp->ceval.eval_breaker) == sizeof(int), "a word is read");
  return reinterpret_cast<const int*>(&thread->interp->ceval.eval_breaker);
}

}  // namespace dynacc
