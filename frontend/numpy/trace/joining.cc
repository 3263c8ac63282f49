// np.concatenate and its kin: one Concat node, whose parts are stored, or computed, in the result.
#include <algorithm>
#include <numeric>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/sizes.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// More parts than this, each a step of its own, are left to NumPy.
constexpr size_t kMaxParts = 64;

struct Part {
  const ir::Node* node;
  Shape shape;
  COrder order;  // what makes its axes lie in the order of C, with or without gaps
};

COrder AxisOrderOf(symbolic::TraceContext& trace, const NumpyTensor* tensor) {
  if (tensor->c_order || tensor->view_of == nullptr) return tensor->c_order;
  const ir::Node* const node = tensor->node;
  if (node->op != Op::kView || node->operands[0] != tensor->view_of->node) return std::nullopt;
  int64_t last = -1;
  for (int d = 0; d < node->rank(); ++d) {
    const int64_t axis = node->attrs.ints[d];
    const bool repeats = axis < 0 && node->shape[d] != trace.graph().scalars().Int(1);
    if (repeats || (axis >= 0 && axis < last)) return std::nullopt;
    last = std::max(last, axis);
  }
  return AxisOrderOf(trace, AsNumpy(tensor->view_of));
}

absl::StatusOr<Part> PartFrom(symbolic::TraceContext& trace, symbolic::Value* value) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  if (tensor == nullptr || tensor->is_scalar)
    return symbolic::GraphBreak("an item that is no array");
  return Part{tensor->node, ShapeOf(tensor), AxisOrderOf(trace, AsNumpy(tensor))};
}

absl::StatusOr<std::vector<Part>> PartsFrom(symbolic::TraceContext& trace,
                                            symbolic::Value* sequence) {
  const auto items = ItemsOf(trace, sequence);
  if (!items || items->empty()) return symbolic::GraphBreak("the parts are not in a tuple or list");
  if (items->size() > kMaxParts) return symbolic::GraphBreak("a join of many parts");
  std::vector<Part> parts;
  for (symbolic::Value* item : *items) {
    DYNACC_ASSIGN_OR_RETURN(Part part, PartFrom(trace, item));
    parts.push_back(std::move(part));
  }
  return parts;
}

// The part with the axes `axes` of its own, -1 for a new one.
Part WithAxes(symbolic::TraceContext& trace, const Part& part, absl::Span<const int64_t> axes) {
  ScalarProgram& scalars = trace.graph().scalars();
  Shape shape;
  std::vector<ScalarId> steps;
  for (const int64_t axis : axes) {
    shape.push_back(axis < 0 ? ConstantSize(trace, 1) : part.shape.at(static_cast<int>(axis)));
    steps.push_back(scalars.Int(axis < 0 ? 0 : 1));
  }
  const std::vector<ScalarId> starts(part.shape.rank(), scalars.Int(0));
  return {trace.graph().View(part.node, shape.ids, axes, starts, steps), shape, part.order};
}

// With a new axis at `place`.
Part Expanded(symbolic::TraceContext& trace, const Part& part, int place) {
  std::vector<int64_t> axes(part.shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  axes.insert(axes.begin() + place, -1);
  return WithAxes(trace, part, axes);
}

absl::StatusOr<symbolic::Value*> Join(symbolic::TraceContext& trace, absl::Span<const Part> parts,
                                      int axis) {
  Shape shape = parts[0].shape;
  if (axis >= shape.rank()) return symbolic::RaisingBreak("a join along an axis that is not there");
  COrder order = parts[0].order;
  std::vector<const ir::Node*> nodes = {parts[0].node};
  for (const Part& part : parts.subspan(1)) {
    if (part.node->dtype != nodes[0]->dtype)
      return symbolic::GraphBreak("parts of different dtypes");
    if (part.shape.rank() != shape.rank())
      return symbolic::RaisingBreak("parts of different ranks");
    for (int d = 0; d < shape.rank(); ++d) {
      if (d != axis && !IsEqual(trace, part.shape.at(d), shape.at(d))) {
        return symbolic::RaisingBreak("parts of different shapes");
      }
    }
    const Size size = Apply(trace, ScalarOp::kAdd, shape.at(axis), part.shape.at(axis));
    shape.ids[axis] = size.id;
    shape.hints[axis] = size.hint;
    order = Combine(order, part.order);
    nodes.push_back(part.node);
  }
  const ir::Node* const node = trace.graph().Concat(nodes, axis, shape.ids);
  return NewTensor(trace, node, shape, shape.rank() == 1 ? COrder(std::in_place) : order);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceConcatenate(symbolic::TraceContext& trace,
                                                  const BoundArgs& args, Op) {
  for (const char* name : {"out", "dtype"}) DYNACC_RETURN_IF_ERROR(args.RefuseGiven(name));
  DYNACC_RETURN_IF_ERROR(args.RefuseUnlessText("casting", "same_kind"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * arrays, args.Required("arrays"));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Part> parts, PartsFrom(trace, arrays));
  int64_t axis = 0;
  if (symbolic::Value* const given = args["axis"]) {
    DYNACC_ASSIGN_OR_RETURN(axis, AxisFrom(trace, given, parts[0].shape.rank()));
  }
  return Join(trace, parts, static_cast<int>(axis));
}

absl::StatusOr<symbolic::Value*> TraceStack(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  DYNACC_RETURN_IF_ERROR(args.RefuseGiven("out"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * arrays, args.Required("arrays"));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Part> parts, PartsFrom(trace, arrays));
  const int rank = parts[0].shape.rank();
  int64_t axis = 0;
  if (symbolic::Value* const given = args["axis"]) {
    DYNACC_ASSIGN_OR_RETURN(axis, AxisFrom(trace, given, rank + 1));
  }
  for (const Part& part : parts) {
    if (!IsSameShape(trace, part.shape, parts[0].shape)) {
      return symbolic::RaisingBreak("parts of different shapes");
    }
  }
  for (Part& part : parts) part = Expanded(trace, part, static_cast<int>(axis));
  return Join(trace, parts, static_cast<int>(axis));
}

absl::StatusOr<symbolic::Value*> TraceRowStack(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * arrays, args.Required("tup"));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Part> parts, PartsFrom(trace, arrays));
  for (Part& part : parts) {
    while (part.shape.rank() < 2) part = Expanded(trace, part, 0);
  }
  return Join(trace, parts, 0);
}

absl::StatusOr<symbolic::Value*> TraceColumnJoin(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * arrays, args.Required("tup"));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Part> parts, PartsFrom(trace, arrays));
  for (Part& part : parts) {
    if (part.shape.rank() == 0) part = Expanded(trace, part, 0);
  }
  return Join(trace, parts, parts[0].shape.rank() == 1 ? 0 : 1);
}

absl::StatusOr<symbolic::Value*> TraceColumnStack(symbolic::TraceContext& trace,
                                                  const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * arrays, args.Required("tup"));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Part> parts, PartsFrom(trace, arrays));
  for (Part& part : parts) {
    while (part.shape.rank() < 2) part = Expanded(trace, part, part.shape.rank());
  }
  return Join(trace, parts, 1);
}

absl::StatusOr<symbolic::Value*> TraceDepthStack(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * arrays, args.Required("tup"));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Part> parts, PartsFrom(trace, arrays));
  for (Part& part : parts) {
    if (part.shape.rank() == 0) return symbolic::GraphBreak("an array of rank 0");
    if (part.shape.rank() == 1) part = Expanded(trace, part, 0);
    if (part.shape.rank() == 2) part = Expanded(trace, part, 2);
  }
  return Join(trace, parts, 2);
}

absl::StatusOr<symbolic::Value*> TraceAppend(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * array, args.Required("arr"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * values, args.Required("values"));
  DYNACC_ASSIGN_OR_RETURN(const Part first, PartFrom(trace, array));
  DYNACC_ASSIGN_OR_RETURN(const Part second, PartFrom(trace, values));
  const Part parts[] = {first, second};
  symbolic::Value* const given = args.GivenOrNull("axis");
  if (given == nullptr) {
    if (first.shape.rank() != 1 || second.shape.rank() != 1)
      return symbolic::GraphBreak("parts to ravel");
    return Join(trace, parts, 0);
  }
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis, AxisFrom(trace, given, first.shape.rank()));
  return Join(trace, parts, static_cast<int>(axis));
}

}  // namespace dynacc::numpy
