// EqualSizes: which sizes of a graph are the same number in every run, by its conditions.
//
// For passes, which write shapes with one of several such, and for who compares shapes of the graph
// that was traced with those of what passes made of it.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "codegen/ir/graph.h"

namespace dynacc::ir {

class EqualSizes {
 public:
  explicit EqualSizes(const Graph& graph);

  // The oldest of the sizes that are equal to this one; itself if the graph did not have it yet.
  ScalarId OldestOf(ScalarId size) const;

  bool AreEqual(absl::Span<const ScalarId> a, absl::Span<const ScalarId> b) const;

 private:
  void Join(ScalarId a, ScalarId b);

  std::vector<ScalarId> oldest_;  // or older
};

}  // namespace dynacc::ir
