// What the accesses behind sources depend on: what a walk over them must see unchanged to end as it
// did.
//
// Beside its Access (access.h) a kind may have a row in the table of access_reads.cc; one that has
// none is accessed at every call.
#pragma once

#include <vector>

#include "frontend/cpython/read_set.h"
#include "frontend/sources/source.h"

namespace dynacc::sources {

// Places of the frame, which is another one at each call, and those that are reached from there.
class PathReads {
 public:
  // As ReadSet's.
  void set_owner(int owner) {
    owner_ = owner;
    memory.set_owner(owner);
  }
  int FindChange(const SourceRoots& roots) const;
  void Finish() { memory.Finish(); }

  // A state to return to: what was added since is taken back.
  struct Mark {
    size_t roots, places;
  };
  Mark mark() const { return {roots_.size(), memory.size()}; }
  void ReturnTo(const Mark& mark) {
    roots_.resize(mark.roots);
    memory.Truncate(mark.places);
  }

  // Each adds one of the roots, a local or stack entry by its index in localsplus; false if there
  // is none.
  bool ReadLocal(int64_t index, const SourceRoots& roots);
  bool ReadFunction(const SourceRoots& roots) { return AddRoot(kFunction, roots); }
  bool ReadGlobals(const SourceRoots& roots) { return AddRoot(kGlobals, roots); }
  bool ReadBuiltins(const SourceRoots& roots) { return AddRoot(kBuiltins, roots); }

  ReadSet memory;

 private:
  // In place of an index.
  enum : int { kFunction = -1, kGlobals = -2, kBuiltins = -3 };
  struct Root {
    int index;
    int owner;
    BorrowedRef content;
  };

  static BorrowedRef At(int index, const SourceRoots& roots);
  bool AddRoot(int64_t index, const SourceRoots& roots);

  std::vector<Root> roots_;
  int owner_ = 0;
};

// Adds what the access of `source` depends on besides its parent's value, which is `parent`. False
// if it has to be done each time.
[[nodiscard]] bool ReadAccess(const Source& source, BorrowedRef parent, const SourceRoots& roots,
                              PathReads& reads);

}  // namespace dynacc::sources
