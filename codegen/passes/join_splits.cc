// An array that is put together of all parts of another one, in their order, is that one:
//
//   concatenate(split(x, 3))  ->  x
//
// A concatenation is a chain of Stores into an Empty here (memory_order.h); what reads a part of
// one reads what was stored there (forward_stores.cc). Only where nothing but the elements counts:
// what is returned, or read by a library, lies in memory as NumPy's result does.
#include <utility>
#include <vector>

#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

// Along which axis the map shows less than all of an array of that shape: -1 if along several, or
// if it is no slice with the array's own axes.
int SlicedAxis(const ScalarProgram& scalars, const ViewMap& map, absl::Span<const ScalarId> shape) {
  int sliced = -1;
  if (map.axis.size() != shape.size()) return -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t step = 0, start = -1;
    if (map.axis[d] != static_cast<int64_t>(d)) return -1;
    scalars.IsIntConst(map.start[d], &start);
    const bool is_one = scalars.IsIntConst(map.step[d], &step) && step == 1;
    if (start == 0 && map.shape[d] == shape[d] && is_one) continue;
    if (!is_one || sliced >= 0) return -1;
    sliced = static_cast<int>(d);
  }
  return sliced;
}

// The array that the chain of Stores which ends in `store` puts together again; null: none.
const ir::Node* JoinedBy(ScalarProgram& scalars, const ir::Node& store) {
  const ir::Node* whole = nullptr;
  int along = -1;
  ScalarId end = store.shape.empty() ? kNoScalar : store.shape.back();
  const ir::Node* last = &store;
  for (; last->op == Op::kStore; last = last->operands[0]) {
    const ir::Node& part = *last->operands[1];
    const ViewMap map = MapOf(*last);
    const int axis = SlicedAxis(scalars, map, store.shape);
    if (part.op != Op::kView || axis < 0 || MapOf(part) != map) return nullptr;
    if (whole == nullptr) {
      whole = part.operands[0];
      along = axis;
      end = store.shape[axis];
    }
    const ScalarId behind = scalars.Apply(ScalarOp::kAdd, map.start[axis], map.shape[axis]);
    if (part.operands[0] != whole || axis != along || behind != end) return nullptr;
    end = map.start[axis];
  }
  const bool is_all = last->op == Op::kEmpty && whole != nullptr && end == scalars.Int(0);
  return is_all && whole->shape == store.shape ? whole : nullptr;
}

}  // namespace

std::unique_ptr<ir::Graph> JoinSplits(const ir::Graph& graph) {
  const std::vector<bool> by_elements = FindReadByElements(graph);
  bool changes = false;
  auto result = RewriteGraph(graph,
                             [&](ir::Graph& target, const ir::Node& node,
                                 absl::Span<const ir::Node* const> operands) -> const ir::Node* {
                               if (node.op != Op::kStore || !by_elements[node.id]) return nullptr;
                               const ir::Node* const made = target.Make(
                                   node.op, node.dtype, node.shape, operands, node.attrs);
                               const ir::Node* const joined = JoinedBy(target.scalars(), *made);
                               changes |= joined != nullptr;
                               return joined == nullptr ? made : joined;
                             });
  return changes ? std::move(result) : nullptr;
}

}  // namespace dynacc::passes
