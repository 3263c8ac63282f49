// TreePlan: the merged tree of a GuardTree while it is added to; FlatTree: the same, laid out for
// the walk.
//
// In the plan each Source is one node, under its parent's, with the checks on its value; guards
// that several entries share are one check with a set of entries. Flatten puts the nodes in walking
// order (a parent before its children, a subtree contiguous) with what tells most entries apart
// first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/guards/guard.h"

namespace dynacc::guards {

using EntrySet = uint64_t;

// The entries whose guard holds only if the value's key is `key` (see KeyedCheck).
struct KeyTest {
  int64_t key;
  EntrySet entries;
  PyObject* const* place;  // null, or where `key` stands as long as it is the address of an object

  bool Holds(int64_t found) const {
    return found == key && (place == nullptr || reinterpret_cast<int64_t>(*place) == found);
  }
};

// One check of a node. For a keyed kind it stands for all guards of its kind and family: `guard` is
// the first of them and keys [first_key, first_key + num_keys) say which entries want which key.
struct FlatCheck {
  Guard guard;
  EntrySet entries;
  int first_key = 0;
  int num_keys = 0;  // 0: not keyed
};

// One access of the walk. `source` is a copy, to be in the node's own cache lines.
struct FlatNode {
  sources::Source source;
  EntrySet entries;  // that need this node or one below it
  LookupCell cell;
  int depth;  // 0: a root
  int end;    // index of the next node that is not below this one
  int first_check;
  int num_checks;
  int slot;  // -1: no entry loads it
};

struct FlatTree {
  std::vector<FlatNode> nodes;
  std::vector<FlatCheck> checks;
  std::vector<KeyTest> keys;
  int max_depth = 0;
};

class TreePlan {
 public:
  // Adds what entry `entry` requires.
  void AddGuard(int entry, const Guard& guard);
  // Adds a value that the entry loads, and gives it a slot if it has none yet.
  void AddLoad(int entry, const sources::Source* source);

  int SlotOf(const sources::Source* source) const;
  int num_slots() const { return num_slots_; }

  FlatTree Flatten() const;

 private:
  struct Alternative {
    Guard guard;
    EntrySet entries;
  };
  // Guards of one kind and family on one source; a kind without keys has one alternative.
  struct Check {
    std::vector<Alternative> alternatives;

    EntrySet entries() const;
    int power() const;
  };
  struct Node {
    const sources::Source* source = nullptr;
    EntrySet entries = 0;
    int slot = -1;
    std::vector<Check> checks;
    std::vector<Node*> children;
  };

  // The node of `source`, made if need be; marks it and all above it as needed by `entry`.
  Node* Need(int entry, const sources::Source* source);
  static int SubtreePower(const Node& node);
  static void AppendCheck(const Check& check, FlatTree* flat);
  static void AppendSubtree(const Node& node, int depth, FlatTree* flat);
  static void AppendSiblings(const std::vector<Node*>& siblings, int depth, FlatTree* flat);

  absl::flat_hash_map<const sources::Source*, std::unique_ptr<Node>> nodes_;
  std::vector<Node*> roots_;
  int num_slots_ = 0;
};

}  // namespace dynacc::guards
