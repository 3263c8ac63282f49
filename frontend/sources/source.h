// Source: how a value was reached, and so how to find it again at the next call.
//
// Sources form trees (`self.layers[0].weight`): each names a parent and one step (`layers[i]`
// another source besides, the index). They are hash-consed within a SourceTable, so the same path
// is the same pointer and the guard tree can share accesses. One Source answers both questions:
// where to load the value from, and what the guards on it hang on.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "frontend/cpython/frame_slot.h"
#include "frontend/cpython/ref.h"

namespace dynacc::sources {

enum class SourceKind : uint8_t {
#define DYNACC_SOURCE(kind, form, doc) k##kind,
#include "frontend/sources/sources.def"
#undef DYNACC_SOURCE
};

struct Source {
  SourceKind kind;
  const Source* parent = nullptr;
  int64_t index = 0;
  Ref name;  // interned str; empty where the kind has none. For Local: for printing only. For
             // Pinned: any object, or a weak reference to it. For DictKeyItem, CachedResult: a
             // plain constant
  const Source* other = nullptr;  // what $o stands for; null where the kind has none

  std::string ToString() const;
};

// The frame (or bare call) that a path starts from. All borrowed.
struct SourceRoots {
  const FrameSlot* localsplus = nullptr;  // locals, cells, then the value stack
  int num_localsplus = 0;                 // where the value stack starts
  BorrowedRef function = nullptr;
  BorrowedRef globals = nullptr;
  BorrowedRef builtins = nullptr;
};

// The value that `source` names, given its parent's value (null for root kinds). Borrowed, or null
// if it is absent. A parent of another type than the kind expects has no such value: a walk may try
// the source on values of any shape. Null also where only Python code could tell (Unreadable in
// name_lookup.h). Runs no Python code and sets no exception.
BorrowedRef AccessSource(const Source& source, BorrowedRef parent, const SourceRoots& roots);

// Resolves the whole path. For capture and for explanations; calls use the guard tree's walk.
BorrowedRef ResolveSource(const Source& source, const SourceRoots& roots);

// Owns sources and makes equal ones identical. Lives as long as the segment it belongs to.
class SourceTable {
 public:
  // The one source of these parts. `name` is a str, and an interned, exact one is kept in its
  // place; for kDictKeyItem and kCachedResult it is kept as it is, for kPinned as a LooseRef keeps
  // it.
  const Source* Intern(SourceKind kind, const Source* parent, int64_t index = 0,
                       BorrowedRef name = nullptr, const Source* other = nullptr);

 private:
  const Source* InternPinned(BorrowedRef object);

  using Key = std::tuple<SourceKind, const Source*, int64_t, PyObject*, const Source*>;

  absl::flat_hash_map<Key, std::unique_ptr<Source>> sources_;
  std::vector<std::unique_ptr<Source>> gone_;  // of objects whose addresses others have now
};

}  // namespace dynacc::sources
