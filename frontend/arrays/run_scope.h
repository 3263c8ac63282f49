// RunScope: what calls of the array library may need of the run that they are part of.
//
// A run hands its calls (LibraryCall nodes) arrays and numbers. Some calls need an existing object
// besides, as the generator that random numbers are drawn from, and change it. Such a change is
// done at the call's place in the graph, and must not have happened if the run's results are thrown
// away; so each call notes how its change is undone before it makes it.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "frontend/cpython/ref.h"

namespace dynacc::arrays {

// One run's; on its thread, under the GIL. Runs nest: a finaliser may run an entry of its own.
class RunScope {
 public:
  // `objects`: what the trace's object inputs (TraceContext::ObjectInput) are in this run.
  explicit RunScope(absl::Span<const BorrowedRef> objects);
  // Undoes what was noted, the last first, unless Keep was called.
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

  // The innermost one of this thread; null outside of runs.
  static RunScope* Current();

  BorrowedRef object(int index) const { return objects_[index]; }

  // An object that a call of this run makes for later ones, under a number of the trace's choice.
  void AddMade(int number, Ref object) { made_.emplace_back(number, std::move(object)); }
  BorrowedRef made(int number) const;  // null if there is none

  // Whether an undo is noted for `object` already: a change is undone to the state before the first
  // one.
  bool Knows(BorrowedRef object) const;
  // `undo` brings `object` back to what it is now. It may leave an exception set, and not throw.
  void NoteUndo(Ref object, std::function<void()> undo);

  // The run's results are used.
  void Keep() { changes_.clear(); }

 private:
  struct Change {
    Ref object;
    std::function<void()> undo;
  };

  absl::Span<const BorrowedRef> objects_;
  std::vector<Change> changes_;
  std::vector<std::pair<int, Ref>> made_;
  RunScope* outer_;
};

}  // namespace dynacc::arrays
