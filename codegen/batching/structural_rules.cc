// Rules of ops that move, add up or find elements (batching_rules.h): each axis of the node's is
// the one behind it.
#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "codegen/batching/batching_rules.h"
#include "codegen/ir/gather_attrs.h"

namespace dynacc::batching {
namespace {

Results One(const ir::Node* node) { return std::vector<Batched>{{node, true}}; }

std::vector<const ir::Node*> AllWith(const Batch& batch) {
  std::vector<const ir::Node*> nodes;
  for (size_t i = 0; i < batch.operands.size(); ++i) nodes.push_back(batch.With(i));
  return nodes;
}

// The attributes of a View or Store of `starts` axes with the batch axis in front.
struct ViewAttrs {
  std::vector<int64_t> axis = {0};
  ir::ShapeVector start;
  ir::ShapeVector step;
};

ViewAttrs WithAxis(const Batch& batch, size_t starts) {
  ViewAttrs attrs;
  for (const int64_t axis : batch.node.attrs.ints) attrs.axis.push_back(axis < 0 ? -1 : axis + 1);
  const auto split = batch.scalars.begin() + static_cast<int64_t>(starts);
  attrs.start.push_back(batch.graph.scalars().Int(0));
  attrs.start.insert(attrs.start.end(), batch.scalars.begin(), split);
  attrs.step.push_back(batch.graph.scalars().Int(1));
  attrs.step.insert(attrs.step.end(), split, batch.scalars.end());
  return attrs;
}

Results BatchReduction(const Batch& batch) {
  return One(batch.graph.Reduce(batch.node.op, batch.Of(0), batch.ShiftedInts(),
                                batch.node.attrs.keepdims));
}

Results BatchScan(const Batch& batch) {
  return One(batch.graph.Scan(batch.node.op, batch.Of(0), batch.node.attrs.ints[0] + 1));
}

// Over all axes of several: along one that has all their elements.
Results BatchExtreme(const Batch& batch) {
  const ir::Node& source = *batch.Of(0);
  const bool keepdims = batch.node.attrs.keepdims;
  if (batch.node.attrs.ints.size() == 1) {
    return One(batch.graph.ArgExtreme(batch.node.op, &source, batch.ShiftedInts(), keepdims));
  }
  ScalarProgram& scalars = batch.graph.scalars();
  ScalarId count = scalars.Int(1);
  for (const ScalarId size : source.shape.subspan(1)) {
    count = scalars.Apply(ScalarOp::kMul, count, size);
  }
  const ir::Node* const rows = batch.graph.Reshape(&source, {batch.size, count});
  const ir::Node* const found = batch.graph.ArgExtreme(batch.node.op, rows, {1}, false);
  return One(batch.graph.Reshape(found, batch.BatchedShape()));
}

}  // namespace

Results BatchElementwise(const Batch& batch) {
  return One(
      batch.graph.Make(batch.node.op, batch.node.dtype, batch.BatchedShape(), AllWith(batch), {}));
}

Results BatchRefused(const Batch&) {
  return absl::UnimplementedError(
      "each example would have another size; use np.where, or a loop over the examples");
}

Results BatchCustomGradient(const Batch& batch) {
  if (batch.Has(0) != batch.Has(1)) {
    return absl::UnimplementedError("a custom_gradient whose result is the same in all examples");
  }
  return BatchElementwise(batch);
}

Results BatchView(const Batch& batch) {
  const ViewAttrs attrs = WithAxis(batch, batch.node.operands[0]->shape.size());
  return One(
      batch.graph.View(batch.Of(0), batch.BatchedShape(), attrs.axis, attrs.start, attrs.step));
}

Results BatchReshape(const Batch& batch) {
  return One(batch.graph.Reshape(batch.Of(0), batch.BatchedShape()));
}

Results BatchStore(const Batch& batch) {
  const ViewAttrs attrs = WithAxis(batch, batch.node.shape.size());
  return One(batch.graph.Store(batch.With(0), batch.With(1), attrs.axis, attrs.start, attrs.step));
}

Results BatchRoll(const Batch& batch) {
  ir::ShapeVector shifts = {batch.graph.scalars().Int(0)};
  shifts.insert(shifts.end(), batch.scalars.begin(), batch.scalars.end());
  return One(batch.graph.Roll(batch.Of(0), shifts));
}

Results BatchConcat(const Batch& batch) {
  return One(
      batch.graph.Concat(AllWith(batch), batch.node.attrs.ints[0] + 1, batch.BatchedShape()));
}

Results BatchReduceSum(const Batch& batch) { return BatchReduction(batch); }
Results BatchReduceProd(const Batch& batch) { return BatchReduction(batch); }
Results BatchReduceMax(const Batch& batch) { return BatchReduction(batch); }
Results BatchReduceMin(const Batch& batch) { return BatchReduction(batch); }
Results BatchReduceAny(const Batch& batch) { return BatchReduction(batch); }
Results BatchReduceAll(const Batch& batch) { return BatchReduction(batch); }
Results BatchCumsum(const Batch& batch) { return BatchScan(batch); }
Results BatchCumprod(const Batch& batch) { return BatchScan(batch); }
Results BatchArgMax(const Batch& batch) { return BatchExtreme(batch); }
Results BatchArgMin(const Batch& batch) { return BatchExtreme(batch); }

Results BatchMean(const Batch& batch) {
  return One(batch.graph.Mean(batch.Of(0), batch.ShiftedInts(), batch.node.attrs.keepdims));
}

// A batched array at places that are the same for all, or rows of one array at batched indices, is
// one Gather. What is left goes example by example.
Results BatchGather(const Batch& batch) {
  ir::GatherAttrs places = *ir::GatherAttrsOf(batch.node);
  const auto is_index = [](const ir::PlaceItem& item) {
    return item.kind == ir::PlaceItem::Kind::kOperand ||
           item.kind == ir::PlaceItem::Kind::kNumber || item.kind == ir::PlaceItem::Kind::kNumbers;
  };
  const auto first = absl::c_find_if(places.items, is_index);
  const auto last = std::find_if(places.items.rbegin(), places.items.rend(), is_index).base();
  const bool are_together = std::all_of(first, last, is_index);
  const bool only_array = absl::c_none_of(batch.operands.subspan(1),
                                          [](const Batched& operand) { return operand.has_axis; });
  std::vector<const ir::Node*> nodes;
  if (places.along || (only_array && are_together)) {
    for (size_t i = 0; i < batch.operands.size(); ++i) {
      nodes.push_back(places.along ? batch.With(i) : batch.Of(i));
    }
    places.items.insert(places.items.begin(), ir::PlaceItem());
  } else {
    const bool takes_rows =
        batch.operands.size() == 2 && !batch.Has(0) &&
        places.items[0].kind == ir::PlaceItem::Kind::kOperand &&
        std::all_of(places.items.begin() + 1, places.items.end(), [](const ir::PlaceItem& item) {
          return item.kind == ir::PlaceItem::Kind::kWhole;
        });
    if (!takes_rows) return BatchSlices(batch);
    nodes = {batch.Of(0), batch.Of(1)};
  }
  places.c_order = false;
  return One(batch.graph.Gather(nodes, places, batch.BatchedShape()));
}

}  // namespace dynacc::batching
