// Store forwarding: what reads a part of an array that has just been stored into reads the stored
// value, if it is that very part, or the array before, if the two have nothing in common.
//
// A recurrence along an axis (`a[:, k] = b[:, k] - a[:, k - 1] * c; d = a[:, k] * e`) then needs no
// version of the whole array: only the parts that it has stored are written in the end.
//
// Reads by reductions and functions of the library stay: they see how their operand lies in memory.
// So do all reads of a version that must be there for any of them, in which each part is best
// computed where it is stored, and reads of what lies below Stores into a temporary, whose memory
// the Stores may take over.
#include <optional>
#include <vector>

#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

// An int of the scalar program as another one and a constant; `base` is kNoScalar if it is one.
struct Offset {
  ScalarId base;
  int64_t by;
};

Offset OffsetOf(const ScalarProgram& scalars, ScalarId id) {
  Offset offset = {id, 0};
  for (int64_t constant;;) {
    if (scalars.IsIntConst(offset.base, &constant)) return {kNoScalar, offset.by + constant};
    const ScalarExpr& e = scalars.expr(offset.base);
    if (e.op == ScalarOp::kAdd && scalars.IsIntConst(e.b, &constant)) {
      offset = {e.a, offset.by + constant};
    } else if (e.op == ScalarOp::kAdd && scalars.IsIntConst(e.a, &constant)) {
      offset = {e.b, offset.by + constant};
    } else if (e.op == ScalarOp::kSub && scalars.IsIntConst(e.b, &constant)) {
      offset = {e.a, offset.by - constant};
    } else {
      return offset;
    }
  }
}

// The indices along one axis that a map looks at lie between these, counted from its start; unknown
// where a size is not a constant.
struct Reach {
  std::optional<int64_t> least = 0, most = 0;
};

Reach ReachAlong(const ScalarProgram& scalars, const ViewMap& map, int64_t axis) {
  Reach reach;
  for (size_t d = 0; d < map.axis.size(); ++d) {
    if (map.axis[d] != axis) continue;
    int64_t step, count;
    if (!scalars.IsIntConst(map.step[d], &step)) return {std::nullopt, std::nullopt};
    const bool is_known = scalars.IsIntConst(map.shape[d], &count);
    std::optional<int64_t>& end = step > 0 ? reach.most : reach.least;
    if (!end.has_value() || !is_known) {
      end = std::nullopt;
    } else {
      *end += (count - 1) * step;
    }
  }
  return reach;
}

// Whether it is certain that the two look at different elements of the same array.
bool AreApart(const ScalarProgram& scalars, const ViewMap& a, const ViewMap& b) {
  for (size_t axis = 0; axis < a.start.size(); ++axis) {
    const Offset from_a = OffsetOf(scalars, a.start[axis]);
    const Offset from_b = OffsetOf(scalars, b.start[axis]);
    if (from_a.base != from_b.base) continue;
    const Reach of_a = ReachAlong(scalars, a, static_cast<int64_t>(axis));
    const Reach of_b = ReachAlong(scalars, b, static_cast<int64_t>(axis));
    const auto is_before = [](const Offset& x, const Reach& of_x, const Offset& y,
                              const Reach& of_y) {
      return of_x.most && of_y.least && x.by + *of_x.most < y.by + *of_y.least;
    };
    if (is_before(from_a, of_a, from_b, of_b) || is_before(from_b, of_b, from_a, of_a)) return true;
  }
  return false;
}

// The simpler node that shows what a View with this map of `store` does: what is stored there, a
// View's operand (`is_below`), or null. Stores for which `exists` gives true are not passed.
template <typename Exists>
const ir::Node* Find(const ScalarProgram& scalars, const ir::Node* store, const ViewMap& map,
                     const Exists& exists, bool& is_below) {
  is_below = false;
  for (; store->op == Op::kStore; store = store->operands[0]) {
    if (exists(store)) return nullptr;
    const ViewMap stored = MapOf(*store);
    if (stored == map) return store->operands[1];
    if (!AreApart(scalars, stored, map)) return nullptr;
  }
  is_below = true;
  return store->op == Op::kInput ? store : nullptr;
}

bool IsPartOfStore(const ir::Node& node) {
  return node.op == Op::kView && node.operands[0]->op == Op::kStore;
}

// Which Stores must be there as whole arrays, as something reads them that cannot be forwarded.
// What others read of those is there, too, and is best computed where it is stored.
class WholeVersions {
 public:
  explicit WholeVersions(const ir::Graph& graph)
      : graph_(graph), read_by_elements_(FindReadByElements(graph)), exists_(graph.nodes().size()) {
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      if (graph.targets()[i] == nullptr) exists_[graph.outputs()[i]->id] = true;
    }
    for (const ir::Node* node : graph.nodes()) {
      for (size_t i = 0; i < node->operands.size(); ++i) {
        const bool is_base = node->op == Op::kStore && i == 0;
        if (!is_base && node->op != Op::kView) exists_[node->operands[i]->id] = true;
      }
    }
    while (AddReadVersions()) {
    }
  }

  bool CanForward(const ir::Node& view) const {
    bool is_below;
    return read_by_elements_[view.id] &&
           Find(
               graph_.scalars(), view.operands[0], MapOf(view),
               [this](const ir::Node* store) { return exists_[store->id]; }, is_below) != nullptr;
  }

 private:
  bool AddReadVersions() {
    bool has_added = false;
    for (const ir::Node* node : graph_.nodes()) {
      if (!IsPartOfStore(*node) || exists_[node->operands[0]->id] || CanForward(*node)) continue;
      exists_[node->operands[0]->id] = has_added = true;
    }
    return has_added;
  }

  const ir::Graph& graph_;
  const std::vector<bool> read_by_elements_;
  std::vector<bool> exists_;
};

}  // namespace

std::unique_ptr<ir::Graph> ForwardStores(const ir::Graph& graph) {
  const WholeVersions versions(graph);
  return RewriteGraph(graph,
                      [&](ir::Graph& target, const ir::Node& node,
                          absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                        if (!IsPartOfStore(node) || !versions.CanForward(node)) return nullptr;
                        bool is_below;
                        const ViewMap map = MapOf(node);
                        const ir::Node* const found = Find(
                            target.scalars(), operands[0], map,
                            [](const ir::Node*) { return false; }, is_below);
                        return found != nullptr && is_below ? MakeView(target, found, map) : found;
                      });
}

}  // namespace dynacc::passes
