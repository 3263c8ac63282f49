// Overlay: what a segment writes over the names or keys of something that exists already.
//
// Nothing is written while tracing: later reads in the segment look here first, and the segment's
// end replays what is left. Keys are strs, or other plain constants in the overlay of a dict.
#pragma once

#include <vector>

#include "frontend/cpython/ref.h"

namespace dynacc::symbolic {

class Value;

class Overlay {
 public:
  struct Write {
    Ref key;
    Value* value;  // null: deleted
  };

  // The last write of `key`, or null.
  const Write* Find(BorrowedRef key) const;
  // A value that is written twice is stored once: nobody sees the first. It keeps its place, which
  // is what gives a dict its order.
  void Set(BorrowedRef key, Value* value);
  // `existed`: before the segment. What only the segment made leaves no trace.
  void Delete(BorrowedRef key, bool existed);

  const std::vector<Write>& writes() const { return writes_; }
  bool empty() const { return writes_.empty(); }

 private:
  std::vector<Write> writes_;
};

// Whether two plain constants are the same dict key. Runs no code of the user's.
bool SameKey(BorrowedRef a, BorrowedRef b);

}  // namespace dynacc::symbolic
