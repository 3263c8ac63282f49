// ReadSet: the memory that an answer was computed from, with what stood there.
//
// A computation that only reads memory gives the same answer again if each place that it reads
// holds what it held: the first places are known, and where each later one lies follows from what
// the ones before it hold. So a check goes through the places in the order in which they were read
// and stops at the first that has changed; none after it may even be looked at. What the check
// needs not know is why the places were read, which makes it several times as fast as computing the
// answer again. Objects are not kept: one that is gone is only reached through a place that has
// changed, and another at its address is told by what it holds.
//
// Whoever records an answer must add all that it depends on. What is the same for the life of the
// process (a builtin type, say) depends on nothing.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

class ReadSet {
 public:
  // What the places that are added from now on are read for: a number of the caller's.
  void set_owner(int owner) { owner_ = owner; }

  // Adds `bytes` bytes at `address`, as they are now. Again and again is once.
  void Add(const void* address, size_t bytes);

  template <typename T>
  void Add(const T* field) {
    Add(field, sizeof(T));
  }

  // Takes back what was added after the first `size` places.
  void Truncate(size_t size);

  // No more is added.
  void Finish() { seen_ = {}; }

  // The owner of the first place that does not hold what it held, or kUnchanged.
  static constexpr int kUnchanged = -1;
  int FindChange() const {
    for (const Place& place : places_) {
      if (!place.Holds(copies_.data())) return place.owner;
    }
    return kUnchanged;
  }

  size_t size() const { return places_.size(); }

 private:
  struct Place {
    const char* address;
    uint64_t content;  // of 4 or 8 bytes; of more: where in the copies
    int32_t bytes;
    int32_t owner;

    bool Holds(const char* copies) const {
      if (bytes == 8) return Load<uint64_t>(address) == content;
      if (bytes == 4) return Load<uint32_t>(address) == content;
      return HoldsCopy(copies + content);
    }

    // Some tens of bytes at most: a call of memcmp would take longer than comparing them.
    bool HoldsCopy(const char* copy) const {
      uint64_t change = 0;
      int at = 0;
      for (; at + 8 <= bytes; at += 8)
        change |= Load<uint64_t>(address + at) ^ Load<uint64_t>(copy + at);
      for (; at < bytes; ++at) change |= address[at] ^ copy[at];
      return change == 0;
    }
  };

  template <typename T>
  static T Load(const char* address) {
    T value;
    std::memcpy(&value, address, sizeof(value));
    return value;
  }

  std::vector<Place> places_;
  std::vector<char> copies_;
  absl::flat_hash_set<std::pair<const void*, size_t>> seen_;
  int owner_ = 0;
};

// Adds what says of which type `object` is and how instances of that type are laid out.
void ReadType(BorrowedRef object, ReadSet& reads);

// Each adds what a lookup of name_lookup.h depends on: LookupInDict in a dict (or a module's),
// LookupInInstance, LookupInType for any name, DictOfInstance. False if that cannot be said in
// places: then the answer must be computed each time.
[[nodiscard]] bool ReadDictEntry(BorrowedRef dict, BorrowedRef name, ReadSet& reads);
[[nodiscard]] bool ReadInstanceEntry(BorrowedRef object, BorrowedRef name, ReadSet& reads);
[[nodiscard]] bool ReadTypeState(PyTypeObject* type, ReadSet& reads);

[[nodiscard]] bool ReadModuleEntry(BorrowedRef module, BorrowedRef name, ReadSet& reads);
[[nodiscard]] bool ReadDictOfInstance(BorrowedRef object, ReadSet& reads);

}  // namespace dynacc
