#include "frontend/frame/detached_run.h"

#include <unistd.h>

namespace dynacc {

DetachedRun::DetachedRun(absl::Span<const BorrowedRef> slots) {
  held_.reserve(slots.size());
  for (BorrowedRef slot : slots) held_.push_back(Ref::New(slot));
  Detach();
}

void DetachedRun::Detach() { thread_ = PyEval_SaveThread(); }

void DetachedRun::Attach() {
  if (thread_ == nullptr) return;
  PyThreadState* thread = thread_;
  thread_ = nullptr;
  try {
    PyEval_RestoreThread(thread);
  } catch (...) {
    // No exception but pthread_exit's: CPython ends the thread. What is above us on the stack would
    // drop its references without the GIL; later CPythons wait here, too.
    for (;;) pause();
  }
}

}  // namespace dynacc
