#include "codegen/passes/view_algebra.h"

#include "absl/algorithm/container.h"

namespace dynacc::passes {
namespace {

bool Is(const ir::Graph& graph, ScalarId id, int64_t constant) {
  int64_t value;
  return graph.scalars().IsIntConst(id, &value) && value == constant;
}

bool IsIdentity(const ir::Graph& graph, const ir::Node* a, const ViewMap& map) {
  if (a->shape != map.shape) return false;
  for (size_t d = 0; d < map.axis.size(); ++d) {
    const bool moves = map.axis[d] != static_cast<int64_t>(d) || !Is(graph, map.start[d], 0);
    if (moves || !(Is(graph, map.step[d], 1) || Is(graph, map.shape[d], 1))) return false;
  }
  return true;
}

const ir::Node* Compose(ir::Graph& graph, const ir::Node& inner, const ViewMap& outer) {
  const ComposedMap map = ComposeMaps(graph, MapOf(inner), outer);
  return MakeView(graph, inner.operands[0], {outer.shape, map.axis, map.start, map.step});
}

}  // namespace

// index = start1 + (start2 + o * step2) * step1 along each axis.
ComposedMap ComposeMaps(ir::Graph& graph, const ViewMap& first, const ViewMap& outer) {
  ScalarProgram& scalars = graph.scalars();
  ComposedMap map;
  map.start.assign(first.start.begin(), first.start.end());
  for (size_t s = 0; s < first.axis.size(); ++s) {
    if (first.axis[s] < 0) continue;
    ScalarId& offset = map.start[first.axis[s]];
    const ScalarId moved = scalars.Apply(ScalarOp::kMul, outer.start[s], first.step[s]);
    offset = scalars.Apply(ScalarOp::kAdd, offset, moved);
  }
  for (size_t d = 0; d < outer.axis.size(); ++d) {
    const int64_t s = outer.axis[d];
    const bool broadcast = s < 0 || first.axis[s] < 0;
    map.axis.push_back(broadcast ? -1 : first.axis[s]);
    map.step.push_back(broadcast ? scalars.Int(0)
                                 : scalars.Apply(ScalarOp::kMul, outer.step[d], first.step[s]));
  }
  return map;
}

const ir::Node* RepeatedNumber(const ir::Node* node) {
  if (node->op == Op::kView) node = node->operands[0];
  return node->op == Op::kScalar ? node : nullptr;
}

ViewMap MapOf(const ir::Node& node) {
  const size_t operand_rank = node.operands[0]->shape.size();
  return {node.op == Op::kStore ? node.operands[1]->shape : node.shape, node.attrs.ints,
          node.attrs.scalars.subspan(0, operand_rank), node.attrs.scalars.subspan(operand_rank)};
}

const ir::Node* MakeView(ir::Graph& graph, const ir::Node* a, const ViewMap& map) {
  if (IsIdentity(graph, a, map)) return a;
  if (a->op == Op::kView) return Compose(graph, *a, map);
  return graph.View(a, map.shape, map.axis, map.start, map.step);
}

const ir::Node* InsertAxis(ir::Graph& graph, const ir::Node* a, int64_t position) {
  ScalarProgram& scalars = graph.scalars();
  ir::ShapeVector shape(a->shape.begin(), a->shape.end());
  shape.insert(shape.begin() + position, scalars.Int(1));
  boost::container::small_vector<int64_t, 8> axis;
  ir::ShapeVector step;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    axis.push_back(d == position ? -1 : d - (d > position ? 1 : 0));
    step.push_back(scalars.Int(d == position ? 0 : 1));
  }
  const ir::ShapeVector start(a->shape.size(), scalars.Int(0));
  return MakeView(graph, a, {shape, axis, start, step});
}

const ir::Node* MakeStore(ir::Graph& graph, const ir::Node* base, const ir::Node* value,
                          const ViewMap& map) {
  const ir::Node* const part = MakeView(graph, base, map);
  if (part == value) return base;
  if (value->op == Op::kStore && value->operands[0] == part) {
    const ComposedMap composed = ComposeMaps(graph, map, MapOf(*value));
    const ir::Node* const inner = value->operands[1];
    return MakeStore(graph, base, inner,
                     {inner->shape, composed.axis, composed.start, composed.step});
  }
  const bool again = base->op == Op::kStore && MapOf(*base) == map;
  return graph.Store(again ? base->operands[0] : base, value, map.axis, map.start, map.step);
}

bool IsInjection(const ir::Graph& graph, const ir::Node& view) {
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

bool IsBijection(const ir::Graph& graph, const ir::Node& view) {
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

}  // namespace dynacc::passes
