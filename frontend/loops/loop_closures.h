// Closures: functions that a program makes anew, and that a loop's program knows by their code.
//
// A function defined in another one (`def f(y): ...`, then a loop that calls f) is another object
// in each call of that. Of such a function a LoopVersion guards what it is made of, and a run has
// the objects of its own in the place of those that the loop was translated with: the function, its
// cells and its globals. The latter may be gone by then; their addresses are names only.
#pragma once

#include <Python.h>

#include <utility>
#include <vector>

#include "boost/container/small_vector.hpp"
#include "frontend/cpython/ref.h"

namespace dynacc::loops {

struct ClosureGuard {
  BorrowedRef function;  // when the loop was translated, as are all of these
  BorrowedRef code;
  BorrowedRef builtins;
  BorrowedRef defaults;
  BorrowedRef keyword_defaults;
  std::vector<BorrowedRef> cells;
};

// The guard for a function whose globals are those of the loop's frame.
ClosureGuard GuardOf(BorrowedRef function);

// Of one run: which object stands for which.
class ClosureMap {
 public:
  // For the globals of the loop's frame, then and now.
  bool Add(BorrowedRef then, BorrowedRef now);
  // Whether `object` is a function as `guard` says, with these globals, and no other object of the
  // map is it; then it and its cells are added.
  bool AddFunction(const ClosureGuard& guard, BorrowedRef globals, BorrowedRef object);

  // What stands for an object; of one that is not in the map that itself.
  BorrowedRef Now(BorrowedRef then) const;

 private:
  boost::container::small_vector<std::pair<BorrowedRef, BorrowedRef>, 4> pairs_;
};

}  // namespace dynacc::loops
