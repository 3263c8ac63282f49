#include "frontend/cache/detached_run.h"

#include "frontend/cpython/thread_end.h"

namespace dynacc::cache {

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
  UpToThreadEnd([thread] { PyEval_RestoreThread(thread); });
}

}  // namespace dynacc::cache
