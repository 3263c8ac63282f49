// Running kernels without the GIL.
//
// NumPy lets other threads run during its loops; so does a run of an entry that is long enough for
// the switch to pay and that has no effect but its results. (An update that an entry reads at its
// start and writes at its end would lose what another thread writes in between, where CPython's
// window is a few instructions.) What the run needs of Python it does attached again: memory of
// results, and all that comes after the last kernel.
#pragma once

#include <Python.h>

#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "frontend/cpython/ref.h"

namespace dynacc::cache {

// One run's hold of the GIL. While it is released other threads may drop what the entry works on:
// this keeps it.
class DetachedRun {
 public:
  // Releases the GIL. `slots` may have nulls.
  explicit DetachedRun(absl::Span<const BorrowedRef> slots);
  ~DetachedRun() { Attach(); }
  DetachedRun(const DetachedRun&) = delete;
  DetachedRun& operator=(const DetachedRun&) = delete;

  // Takes the GIL if it is released. A daemon thread for which there is none any more, since the
  // interpreter is being finalised, waits here for the process's end.
  void Attach();
  void Detach();

 private:
  boost::container::small_vector<Ref, 8> held_;
  PyThreadState* thread_ = nullptr;  // while detached
};

// Has the GIL for its extent. `run` may be null: then there is nothing to do.
class AttachedScope {
 public:
  explicit AttachedScope(DetachedRun* run) : run_(run) {
    if (run_ != nullptr) run_->Attach();
  }
  ~AttachedScope() {
    if (run_ != nullptr) run_->Detach();
  }
  AttachedScope(const AttachedScope&) = delete;
  AttachedScope& operator=(const AttachedScope&) = delete;

 private:
  DetachedRun* run_;
};

}  // namespace dynacc::cache
