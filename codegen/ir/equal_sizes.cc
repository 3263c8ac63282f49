#include "codegen/ir/equal_sizes.h"

#include <algorithm>
#include <numeric>

namespace dynacc::ir {

EqualSizes::EqualSizes(const Graph& graph) : oldest_(graph.scalars().size()) {
  std::iota(oldest_.begin(), oldest_.end(), 0);
  const ScalarProgram& scalars = graph.scalars();
  for (const ScalarId condition : graph.conditions()) {
    const ScalarExpr& expr = scalars.expr(condition);
    // A data-dependent condition is checked in the middle of the run, when what is of the sizes may
    // be done.
    if (expr.op == ScalarOp::kEq && scalars.Level(condition) == 0) Join(expr.a, expr.b);
  }
}

ScalarId EqualSizes::OldestOf(ScalarId size) const {
  if (size < 0 || size >= static_cast<ScalarId>(oldest_.size())) return size;
  while (oldest_[size] != size) size = oldest_[size];
  return size;
}

bool EqualSizes::AreEqual(absl::Span<const ScalarId> a, absl::Span<const ScalarId> b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [this](ScalarId x, ScalarId y) { return OldestOf(x) == OldestOf(y); });
}

void EqualSizes::Join(ScalarId a, ScalarId b) {
  a = OldestOf(a);
  b = OldestOf(b);
  oldest_[std::max(a, b)] = std::min(a, b);
}

}  // namespace dynacc::ir
