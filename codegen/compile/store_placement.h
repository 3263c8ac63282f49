// StorePlacement: where new versions of arrays lie: which may take over the memory of the version
// before, and which values may be computed right where they are stored.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/schedule/schedule.h"

namespace dynacc::compile {

class StorePlacement {
 public:
  StorePlacement(const ir::Graph& graph, const schedule::Schedule& schedule);

  // The Store in whose result a kernel may compute `value`; null if the value needs memory of its
  // own, because something else reads it too.
  const ir::Node* StoreOf(const ir::Node* value) const;

  // The Store that stores into the result of `store` while nothing else reads that; null if there
  // is none.
  const ir::Node* OnlyStoreInto(const ir::Node* store) const;

  // Whether the result of `store` may take over the memory of its base if group `group` is the
  // first to write into it: nothing else reads that memory from then on.
  bool MayTakeOver(const ir::Node* store, int group) const;

 private:
  // Something that reads a node's memory: a node of a group, or (reader null) something after all
  // groups, which may be the writing back of
  //   - the node as what lies under all parts of `target`, or a value that was computed in the
  //     node's memory: later versions of `target`, written after it, may have taken that over;
  //   - the node as what `store` stores.
  struct Read {
    int group;
    const ir::Node* reader = nullptr;
    const ir::Node* target = nullptr;
    const ir::Node* store = nullptr;
  };

  void AddReads(const ir::Node* operand, const Read& read);

  absl::flat_hash_map<const ir::Node*, std::vector<Read>> reads_;
  absl::flat_hash_map<const ir::Node*, const ir::Node*>
      target_of_;  // of Stores that are written back
  std::vector<bool> is_output_;
};

}  // namespace dynacc::compile
