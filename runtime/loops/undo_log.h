// UndoLog: what elements of arrays held before a called function stored to them.
//
// A call that a loop program follows into a function has no frame of its own: where Python has to
// go on, it makes the whole call again (docs/loop-compiler.md). So what the call has stored by then
// is taken back. Nobody has seen it: the GIL is held throughout.
#pragma once

#include <cstdint>

namespace dynacc::loops {

struct UndoLog {
  // Calls that store more are Python's.
  static constexpr int64_t kMostStores = 1024;
  struct Store {
    char* place;
    int64_t bits;  // the first `size` bytes of it
    int64_t size;
  };
  int64_t count = 0;
  bool is_full = false;  // a call has stored more
  Store stores[kMostStores];

  // The last one first.
  void RollBack() {
    while (count > 0) {
      const Store& store = stores[--count];
      __builtin_memcpy(store.place, &store.bits, store.size);
    }
  }
};

namespace loop_math {

// Before a store to the element at that address. False: there is no room.
inline bool Remember(UndoLog* log, int64_t address, int64_t size) {
  if (log->count == UndoLog::kMostStores) {
    log->is_full = true;
    return false;
  }
  UndoLog::Store& store = log->stores[log->count++];
  store.place = reinterpret_cast<char*>(address);
  store.size = size;
  __builtin_memcpy(&store.bits, store.place, size);
  return true;
}

}  // namespace loop_math
}  // namespace dynacc::loops
