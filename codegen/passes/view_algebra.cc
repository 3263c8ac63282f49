#include "codegen/passes/view_algebra.h"

#include "absl/algorithm/container.h"

namespace dynacc {
namespace {

bool Is(const Graph& graph, ScalarId id, int64_t constant) {
  int64_t value;
  return graph.scalars().IsIntConst(id, &value) && value == constant;
}

bool IsIdentity(const Graph& graph, const Node* a, const ViewMap& map) {
  if (a->shape != map.shape) return false;
  for (size_t d = 0; d < map.axis.size(); ++d) {
    const bool moves = map.axis[d] != static_cast<int64_t>(d) || !Is(graph, map.start[d], 0);
    if (moves || !(Is(graph, map.step[d], 1) || Is(graph, map.shape[d], 1))) return false;
  }
  return true;
}

// The view of `inner`'s operand that `outer` is of `inner`: index = start1 + (start2 + o * step2) *
// step1 along each axis.
const Node* Compose(Graph& graph, const Node& inner, const ViewMap& outer) {
  const ViewMap first = MapOf(inner);
  ScalarProgram& scalars = graph.scalars();
  ShapeVector start(first.start.begin(), first.start.end());
  for (size_t s = 0; s < first.axis.size(); ++s) {
    if (first.axis[s] < 0) continue;
    ScalarId& offset = start[first.axis[s]];
    const ScalarId moved = scalars.Apply(ScalarOp::kMul, outer.start[s], first.step[s]);
    offset = scalars.Apply(ScalarOp::kAdd, offset, moved);
  }
  absl::InlinedVector<int64_t, 8> axis;
  ShapeVector step;
  for (size_t d = 0; d < outer.axis.size(); ++d) {
    const int64_t s = outer.axis[d];
    const bool broadcast = s < 0 || first.axis[s] < 0;
    axis.push_back(broadcast ? -1 : first.axis[s]);
    step.push_back(broadcast ? scalars.Int(0)
                             : scalars.Apply(ScalarOp::kMul, outer.step[d], first.step[s]));
  }
  return MakeView(graph, inner.operands[0], {outer.shape, axis, start, step});
}

}  // namespace

const Node* RepeatedNumber(const Node* node) {
  if (node->op == Op::kView) node = node->operands[0];
  return node->op == Op::kScalar ? node : nullptr;
}

ViewMap MapOf(const Node& view) {
  const size_t operand_rank = view.operands[0]->shape.size();
  return {view.shape, view.attrs.ints, view.attrs.scalars.subspan(0, operand_rank),
          view.attrs.scalars.subspan(operand_rank)};
}

const Node* MakeView(Graph& graph, const Node* a, const ViewMap& map) {
  if (IsIdentity(graph, a, map)) return a;
  if (a->op == Op::kView) return Compose(graph, *a, map);
  return graph.View(a, map.shape, map.axis, map.start, map.step);
}

bool IsInjection(const Graph& graph, const Node& view) {
  const ViewMap map = MapOf(view);
  uint64_t seen = 0;
  for (size_t d = 0; d < map.axis.size(); ++d) {
    if (map.axis[d] < 0) {
      if (!Is(graph, map.shape[d], 1)) return false;
      continue;
    }
    const uint64_t bit = uint64_t{1} << map.axis[d];
    int64_t step;
    const bool moves = graph.scalars().IsIntConst(map.step[d], &step) && step > 0;
    if ((seen & bit) != 0 || !moves) return false;
    seen |= bit;
  }
  return true;
}

bool IsBijection(const Graph& graph, const Node& view) {
  if (!IsInjection(graph, view)) return false;
  const ViewMap map = MapOf(view);
  const absl::Span<const ScalarId> sizes = view.operands[0]->shape;
  for (size_t s = 0; s < sizes.size(); ++s) {
    const auto used = absl::c_find(map.axis, static_cast<int64_t>(s));
    if (used == map.axis.end()) {
      if (!Is(graph, sizes[s], 1)) return false;
      continue;
    }
    // In bounds, as many elements as there are, and steps that move: that is all of them.
    if (map.shape[used - map.axis.begin()] != sizes[s]) return false;
  }
  return true;
}

}  // namespace dynacc
