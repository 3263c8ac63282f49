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

  // Adds `bytes` bytes at `address`. Again and again is once.
  void Add(const void* address, size_t bytes);

  template <typename T>
  void Add(const T* field) {
    Add(field, sizeof(T));
  }

  // Takes back what was added after the first `size` places.
  void Truncate(size_t size);

  // Takes down what the places hold. Nothing may have changed since they were read, and no more is
  // added.
  void Finish();

  // The owner of the first place that does not hold what it held, or kUnchanged. After Finish.
  static constexpr int kUnchanged = -1;
  int FindChange() const {
    const Word* word = words_.data();
    for (size_t i = 0; i < num_stretches_; ++i) {
      const Stretch& stretch = stretches_[i];
      __builtin_prefetch(stretches_[i + kAhead].block.address);
      for (const Word* end = word + stretch.num_words; word != end; ++word) {
        if (Load<uint64_t>(word->address) != word->content) return OwnerOfWord(word, i);
      }
      if (!stretch.block.Holds(copies_.data())) return OwnerOfBlock(i);
    }
    return kUnchanged;
  }

  size_t size() const { return places_.size(); }

 private:
  void AddPlace(const char* address, size_t bytes);

  struct Place {
    const char* address;
    size_t bytes;
    int owner;
  };

  // Most places are pointers: eight bytes.
  struct Word {
    const char* address;
    uint64_t content;
  };

  // A place of another size, whose content is among the copies.
  struct Block {
    const char* address = nullptr;
    uint32_t copy = 0;
    uint32_t bytes = 0;

    bool Holds(const char* copies) const { return AreSame(address, copies + copy, bytes); }
  };

  // Words one after another, and the block that comes after them.
  struct Stretch {
    size_t num_words = 0;
    Block block;
  };

  template <typename T>
  static T Load(const char* address) {
    T value;
    std::memcpy(&value, address, sizeof(value));
    return value;
  }

  // In what the sizeof(T) bytes at an offset differ.
  template <typename T>
  static T Differ(const char* first, const char* second, uint32_t at) {
    return Load<T>(first + at) ^ Load<T>(second + at);
  }

  // As many at each end, which may overlap.
  template <typename T>
  static T EndsDiffer(const char* first, const char* second, uint32_t bytes) {
    return Differ<T>(first, second, 0) | Differ<T>(first, second, bytes - sizeof(T));
  }

  using Lanes = uint64_t __attribute__((vector_size(16)));

  // Of kMaxBytes. Most blocks of a model's are such: its arrays' headers.
  static bool AreSameLines(const char* first, const char* second) {
    const Lanes differ = (Differ<Lanes>(first, second, 0) | Differ<Lanes>(first, second, 16)) |
                         (Differ<Lanes>(first, second, 32) | Differ<Lanes>(first, second, 48));
    return (differ[0] | differ[1]) == 0;
  }

  // Of no more than kMaxBytes, which a call of memcmp would take longer to compare.
  static bool AreSame(const char* first, const char* second, uint32_t bytes) {
    if (bytes == kMaxBytes) return AreSameLines(first, second);
    if (bytes >= 16) {
      Lanes differ = Differ<Lanes>(first, second, 0);
      if (bytes > 16) differ |= Differ<Lanes>(first, second, bytes - 16);
      if (bytes > 32) differ |= Differ<Lanes>(first, second, 16);
      if (bytes > 48) differ |= Differ<Lanes>(first, second, 32);
      return (differ[0] | differ[1]) == 0;
    }
    if (bytes >= 8) return EndsDiffer<uint64_t>(first, second, bytes) == 0;
    if (bytes >= 4) return EndsDiffer<uint32_t>(first, second, bytes) == 0;
    for (uint32_t at = 0; at < bytes; ++at) {
      if (first[at] != second[at]) return false;
    }
    return true;
  }

  static constexpr size_t kMaxBytes = 64;  // of a place; what is longer is several
  // A place of so few words is as many places: each is compared sooner than a block begins.
  static constexpr size_t kMaxWords = 3;
  // As many stretches before a block is compared its memory is asked for: a model's parameters are
  // not in the first cache. Measured for a thousand of them: 0.88 of the time without.
  static constexpr size_t kAhead = 16;

  int OwnerOfWord(const Word* word, size_t stretch) const;
  int OwnerOfBlock(size_t stretch) const;

  std::vector<Place> places_;  // in order
  std::vector<Word> words_;
  std::vector<Stretch> stretches_;  // and kAhead that are empty
  size_t num_stretches_ = 0;
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
