#include "codegen/ir/graph.h"

#include <algorithm>
#include <new>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/int_operator_attrs.h"
#include "codegen/ir/node_recorder.h"
#include "codegen/ir/node_rules.h"
#include "runtime/base/check.h"

namespace dynacc::ir {
namespace {

// Whether they are the same graphs, or print the same.
bool SameSubgraphs(absl::Span<const Graph* const> a, absl::Span<const Graph* const> b) {
  return absl::c_equal(a, b, [](const Graph* x, const Graph* y) {
    return x == y || (x->nodes().size() == y->nodes().size() && PrintGraph(*x) == PrintGraph(*y));
  });
}

bool SameNode(const Node& node, Op op, DType dtype, absl::Span<const ScalarId> shape,
              absl::Span<const Node* const> operands, const NodeAttrs& attrs) {
  return node.op == op && node.dtype == dtype && node.shape == shape && node.operands == operands &&
         node.attrs.ints == attrs.ints && node.attrs.scalars == attrs.scalars &&
         node.attrs.keepdims == attrs.keepdims && node.attrs.order == attrs.order &&
         node.attrs.call == attrs.call && SameSubgraphs(node.attrs.subgraphs, attrs.subgraphs);
}

}  // namespace

Graph::Graph() = default;

template <typename T>
absl::Span<const T> Graph::Copy(absl::Span<const T> items) {
  if (items.empty()) return {};
  auto* const copy = static_cast<T*>(arena_.allocate(items.size() * sizeof(T), alignof(T)));
  std::copy(items.begin(), items.end(), copy);
  return absl::MakeConstSpan(copy, items.size());
}

void Graph::SetLocation(absl::string_view file, int line) {
  location_.line = line;
  if (file == location_.file) return;
  auto* const copy = static_cast<char*>(arena_.allocate(file.size() + 1, 1));
  std::copy(file.begin(), file.end(), copy);
  copy[file.size()] = '\0';
  location_.file = copy;
}

void Graph::RestrictReported(uint32_t flags) {
  for (uint8_t& reported : reported_) reported &= static_cast<uint8_t>(flags);
}

const Node* Graph::AddInput(DType dtype, absl::Span<const ScalarId> shape) {
  const auto index = static_cast<int64_t>(inputs_.size());
  return Make(Op::kInput, dtype, shape, {}, {.ints = {&index, 1}});
}

const Node* Graph::Scalar(DType dtype, Number value) { return Full(Op::kScalar, dtype, value, {}); }

const Node* Graph::Full(DType dtype, Number value, absl::Span<const ScalarId> shape) {
  return Full(Op::kFull, dtype, value, shape);
}

const Node* Graph::Full(Op op, DType dtype, Number value, absl::Span<const ScalarId> shape) {
  const ScalarId parts[] = {value.real, value.imag};
  DYNACC_CHECK(!value.is_complex() || IsComplex(dtype)) << "a complex number as a real dtype";
  return Make(op, dtype, shape, {}, {.scalars = {parts, value.is_complex() ? 2u : 1u}});
}

const Node* Graph::Empty(DType dtype, absl::Span<const ScalarId> shape) {
  return Full(Op::kEmpty, dtype, scalars_.Int(0), shape);
}

const Node* Graph::Unary(Op op, const Node* a) {
  DYNACC_CHECK(Info(op).category == OpCategory::kUnary) << Info(op).text << " is not unary";
  return Make(op, ResultDType(op, a->dtype, {&a, 1}), a->shape, {&a, 1}, {});
}

const Node* Graph::Binary(Op op, const Node* a, const Node* b) {
  DYNACC_CHECK(Info(op).category == OpCategory::kBinary) << Info(op).text << " is not binary";
  DYNACC_CHECK(a->dtype == b->dtype)
      << Info(op).text << " on " << Info(a->dtype).text << " and " << Info(b->dtype).text;
  DYNACC_CHECK(a->shape == b->shape) << Info(op).text << " on two shapes";
  const Node* const operands[] = {a, b};
  return Make(op, ResultDType(op, a->dtype, operands), a->shape, operands, {});
}

const Node* Graph::Where(const Node* condition, const Node* a, const Node* b) {
  DYNACC_CHECK(condition->dtype == DType::kBool) << "where on a condition that is not bool";
  DYNACC_CHECK(a->dtype == b->dtype) << "where on two dtypes";
  DYNACC_CHECK(a->shape == b->shape && condition->shape == a->shape) << "where on several shapes";
  return Make(Op::kWhere, a->dtype, a->shape, {condition, a, b}, {});
}

const Node* Graph::Cast(DType dtype, const Node* a) {
  if (dtype == a->dtype) return a;
  return Make(Op::kCast, dtype, a->shape, {&a, 1}, {});
}

const Node* Graph::View(const Node* a, absl::Span<const ScalarId> shape,
                        absl::Span<const int64_t> axis, absl::Span<const ScalarId> start,
                        absl::Span<const ScalarId> step) {
  DYNACC_CHECK(start.size() == a->shape.size()) << "view: one start for each operand axis";
  DYNACC_CHECK(axis.size() == shape.size() && step.size() == shape.size())
      << "view: one axis and one step for each output axis";
  ShapeVector scalars(start.begin(), start.end());
  scalars.insert(scalars.end(), step.begin(), step.end());
  return Make(Op::kView, a->dtype, shape, {&a, 1}, {.ints = axis, .scalars = scalars});
}

const Node* Graph::BroadcastTo(const Node* a, absl::Span<const ScalarId> shape) {
  if (a->shape == shape) return a;
  DYNACC_CHECK(a->shape.size() <= shape.size()) << "broadcast to a lower rank";
  const size_t added = shape.size() - a->shape.size();
  boost::container::small_vector<int64_t, 8> axis(shape.size(), -1);
  ShapeVector step(shape.size(), scalars_.Int(0));
  for (size_t d = added; d < shape.size(); ++d) {
    const ScalarId size = a->shape[d - added];
    if (size == shape[d]) {
      axis[d] = static_cast<int64_t>(d - added);
      step[d] = scalars_.Int(1);
    } else {
      DYNACC_CHECK(size == scalars_.Int(1)) << "broadcast of an axis whose size is not known as 1";
    }
  }
  const ShapeVector start(a->shape.size(), scalars_.Int(0));
  return View(a, shape, axis, start, step);
}

const Node* Graph::Transpose(const Node* a, absl::Span<const int64_t> permutation) {
  DYNACC_CHECK(permutation.size() == a->shape.size()) << "transpose: one entry for each axis";
  ShapeVector shape;
  uint64_t seen = 0;
  for (const int64_t axis : permutation) {
    DYNACC_CHECK(axis >= 0 && axis < a->rank() && (seen >> axis & 1) == 0)
        << "transpose: not a permutation";
    seen |= uint64_t{1} << axis;
    shape.push_back(a->shape[axis]);
  }
  const ShapeVector start(a->shape.size(), scalars_.Int(0));
  const ShapeVector step(a->shape.size(), scalars_.Int(1));
  return View(a, shape, permutation, start, step);
}

const Node* Graph::Reshape(const Node* a, absl::Span<const ScalarId> shape) {
  if (a->shape == shape) return a;
  return Make(Op::kReshape, a->dtype, shape, {&a, 1}, {});
}

const Node* Graph::Copied(Op op, const Node* a) {
  DYNACC_CHECK(op == Op::kKeepOrder || op == Op::kCOrder) << Info(op).text << " is no copy";
  return Make(op, a->dtype, a->shape, {&a, 1}, {});
}

const Node* Graph::Update(const Node* target, const Node* elements) {
  DYNACC_CHECK(target->dtype == elements->dtype) << "update with another dtype";
  DYNACC_CHECK(target->shape == elements->shape) << "update with another shape";
  const Node* const operands[] = {elements, target};
  return Make(Op::kUpdate, target->dtype, target->shape, operands, {});
}

const Node* Graph::Store(const Node* base, const Node* value, absl::Span<const int64_t> axis,
                         absl::Span<const ScalarId> start, absl::Span<const ScalarId> step) {
  DYNACC_CHECK(base->dtype == value->dtype) << "store of another dtype";
  DYNACC_CHECK(start.size() == base->shape.size()) << "store: one start for each axis of the base";
  DYNACC_CHECK(axis.size() == value->shape.size() && step.size() == axis.size())
      << "store: one axis and one step for each axis of the value";
  ShapeVector scalars(start.begin(), start.end());
  scalars.insert(scalars.end(), step.begin(), step.end());
  const Node* const operands[] = {base, value};
  return Make(Op::kStore, base->dtype, base->shape, operands, {.ints = axis, .scalars = scalars});
}

const Node* Graph::Roll(const Node* a, absl::Span<const ScalarId> shifts) {
  DYNACC_CHECK(shifts.size() == a->shape.size()) << "roll: one shift for each axis";
  const bool moves = std::any_of(shifts.begin(), shifts.end(),
                                 [this](ScalarId shift) { return shift != scalars_.Int(0); });
  if (!moves) return a;
  return Make(Op::kRoll, a->dtype, a->shape, {&a, 1}, {.scalars = shifts});
}

const Node* Graph::Concat(absl::Span<const Node* const> parts, int64_t axis,
                          absl::Span<const ScalarId> shape) {
  DYNACC_CHECK(!parts.empty()) << "concat of nothing";
  return Make(Op::kConcat, parts[0]->dtype, shape, parts, {.ints = {&axis, 1}});
}

const Node* Graph::Reduce(Op op, const Node* a, absl::Span<const int64_t> axes, bool keepdims) {
  DYNACC_CHECK(Info(op).category == OpCategory::kReduction) << Info(op).text << " does not reduce";
  DYNACC_CHECK(AreReductionAxes(axes, a->rank())) << Info(op).text << ": bad axes";
  const ShapeVector shape = ReducedShape(a->shape, axes, keepdims, scalars_.Int(1));
  return Make(op, ResultDType(op, a->dtype, {&a, 1}), shape, {&a, 1},
              {.ints = axes, .keepdims = keepdims});
}

const Node* Graph::Matmul(const Node* a, const Node* b, absl::Span<const ScalarId> shape,
                          bool apart) {
  DYNACC_CHECK(a->dtype == b->dtype) << "matmul on two dtypes";
  const Node* const operands[] = {a, b};
  static constexpr int64_t kApart[] = {1};
  NodeAttrs attrs;
  if (apart) attrs.ints = kApart;
  return Make(Op::kMatmul, a->dtype, shape, operands, attrs);
}

const Node* Graph::LibraryCall(int64_t library_call_id, DType dtype,
                               absl::Span<const ScalarId> shape,
                               absl::Span<const Node* const> operands, ScalarId defined) {
  NodeAttrs attrs = {.call = library_call_id};
  if (defined != kNoScalar) attrs.scalars = {&defined, 1};
  return Make(Op::kLibraryCall, dtype, shape, operands, attrs);
}

const Node* Graph::Scan(Op op, const Node* a, int64_t axis, int64_t call) {
  DYNACC_CHECK(op == Op::kCumsum || op == Op::kCumprod) << Info(op).text << " is no scan";
  DYNACC_CHECK(axis >= 0 && axis < a->rank()) << Info(op).text << ": no axis " << axis;
  return Make(op, a->dtype, a->shape, {&a, 1}, {.ints = {&axis, 1}, .call = call});
}

const Node* Graph::ArgExtreme(Op op, const Node* a, absl::Span<const int64_t> axes, bool keepdims,
                              int64_t call) {
  DYNACC_CHECK(op == Op::kArgMax || op == Op::kArgMin) << Info(op).text << " finds no place";
  DYNACC_CHECK(AreSearchAxes(axes, a->rank())) << Info(op).text << ": bad axes";
  const ShapeVector shape = ReducedShape(a->shape, axes, keepdims, scalars_.Int(1));
  return Make(op, DType::kInt64, shape, {&a, 1},
              {.ints = axes, .keepdims = keepdims, .call = call});
}

const Node* Graph::Mean(const Node* a, absl::Span<const int64_t> axes, bool keepdims,
                        int64_t call) {
  DYNACC_CHECK(IsInexact(a->dtype)) << "mean of " << Info(a->dtype).text;
  DYNACC_CHECK(AreReductionAxes(axes, a->rank())) << "mean: bad axes";
  const ShapeVector shape = ReducedShape(a->shape, axes, keepdims, scalars_.Int(1));
  return Make(Op::kMean, a->dtype, shape, {&a, 1},
              {.ints = axes, .keepdims = keepdims, .call = call});
}

const Node* Graph::Gather(absl::Span<const Node* const> operands, const GatherAttrs& attrs,
                          absl::Span<const ScalarId> shape, int64_t call) {
  const std::vector<int64_t> ints = EncodeGather(attrs);
  return Make(Op::kGather, operands[0]->dtype, shape, operands, {.ints = ints, .call = call});
}

const Node* Graph::Take(const Node* a, const Node* index) {
  DYNACC_CHECK(a->rank() > 0) << "take: of an array of rank 0";
  GatherAttrs places;
  places.items.resize(a->rank());
  places.items[0] = {.kind = PlaceItem::Kind::kOperand, .operand = 1};
  ShapeVector shape(index->shape.begin(), index->shape.end());
  shape.insert(shape.end(), a->shape.begin() + 1, a->shape.end());
  return Gather({a, index}, places, shape);
}

const Node* Graph::Scatter(absl::Span<const Node* const> operands, const ScatterAttrs& attrs,
                           ScalarId number, int64_t call) {
  DYNACC_CHECK((attrs.value < 0) == (number != kNoScalar)) << "scatter: an operand or a number";
  const Node* const base = operands[attrs.base];
  const std::vector<int64_t> ints = EncodeScatter(attrs);
  NodeAttrs made = {.ints = ints, .call = call};
  if (number != kNoScalar) made.scalars = {&number, 1};
  return Make(Op::kScatter, base->dtype, base->shape, operands, made);
}

const Node* Graph::Compress(const Node* a, const Node* mask, ScalarId size, bool defines,
                            int64_t call) {
  DYNACC_CHECK(mask->dtype == DType::kBool) << "compress by a mask that is not bool";
  DYNACC_CHECK(mask->rank() > 0 && mask->rank() <= a->rank()) << "compress: a mask of that rank";
  ShapeVector shape = {size};
  shape.insert(shape.end(), a->shape.begin() + mask->rank(), a->shape.end());
  NodeAttrs attrs = {.call = call};
  if (defines) attrs.scalars = {&size, 1};
  return Make(Op::kCompress, a->dtype, shape, {a, mask}, attrs);
}

const Node* Graph::IntOperator(absl::Span<const Node* const> operands,
                               const executor::IntOperation& operation, DType dtype, int64_t call) {
  const std::vector<int64_t> ints = EncodeIntOperation(operation);
  return Make(Op::kIntOperator, dtype, {}, operands, {.ints = ints, .call = call});
}

void Graph::AddCondition(ScalarId condition) {
  if (std::find(conditions_.begin(), conditions_.end(), condition) == conditions_.end()) {
    conditions_.push_back(condition);
  }
}

const Node* Graph::Make(Op op, DType dtype, absl::Span<const ScalarId> shape,
                        absl::Span<const Node* const> operands, const NodeAttrs& attrs) {
  const uint64_t hash =
      absl::HashOf(op, dtype, shape, operands, attrs.ints, attrs.scalars, attrs.keepdims,
                   attrs.order, attrs.call, attrs.subgraphs.size());
  std::vector<const Node*>& candidates = by_hash_[hash];
  for (const Node* node : candidates) {
    if (!SameNode(*node, op, dtype, shape, operands, attrs)) continue;
    reported_[node->id] |= static_cast<uint8_t>(reported_now_);
    if (!regions_around_.empty()) {
      regions_around_[node->id] = std::min(regions_around_[node->id], open_regions());
    }
    if (!asked_.empty()) asked_.back().push_back(node);
    NodeRecorder::Record(*this, node);
    return node;
  }
  Node* const node = new (arena_.allocate(sizeof(Node), alignof(Node)))
      Node{.id = static_cast<int32_t>(nodes_.size()),
           .op = op,
           .dtype = dtype,
           .shape = Copy(shape),
           .operands = Copy(operands),
           .attrs = {.ints = Copy(attrs.ints),
                     .scalars = Copy(attrs.scalars),
                     .keepdims = attrs.keepdims,
                     .order = attrs.order,
                     .call = attrs.call,
                     .subgraphs = Copy(attrs.subgraphs)},
           .location = location_,
           .origin = origin_ >= 0 ? origin_ : static_cast<int32_t>(nodes_.size())};
  for (const Graph* subgraph : attrs.subgraphs) {
    subgraphs_.push_back(subgraph->shared_from_this());
  }
  if (op == Op::kInput && attrs.ints[0] >= 0) {
    DYNACC_CHECK(attrs.ints.size() == 1 && attrs.ints[0] == static_cast<int64_t>(inputs_.size()))
        << "inputs are made once each, in the order of their indices";
    inputs_.push_back(node);
  }
  nodes_.push_back(node);
  if (!asked_.empty()) {
    regions_around_.resize(nodes_.size() - 1);
    asked_.back().push_back(node);
  }
  if (!asked_.empty() || !regions_around_.empty()) regions_around_.push_back(open_regions());
  reported_.push_back(static_cast<uint8_t>(reported_now_));
  candidates.push_back(node);
  NodeRecorder::Record(*this, node);
  return node;
}

const Node* Graph::AddParameter(DType dtype, absl::Span<const ScalarId> shape) {
  const int64_t index = --num_parameters_;
  return Make(Op::kInput, dtype, shape, {}, {.ints = {&index, 1}});
}

std::vector<const Node*> Graph::EndRegion() {
  std::vector<const Node*> asked = std::move(asked_.back());
  asked_.pop_back();
  return asked;
}

void Graph::DropRegions() {
  if (regions_around_.empty()) return;
  std::vector<bool> needed(nodes_.size()), of_parameter(nodes_.size());
  for (const Node* input : inputs_) needed[input->id] = true;
  for (const Node* output : outputs_) needed[output->id] = true;
  for (const Node* node : nodes_) {
    of_parameter[node->id] =
        absl::c_any_of(node->operands,
                       [&](const Node* operand) { return of_parameter[operand->id]; }) ||
        (node->op == Op::kInput && node->attrs.ints[0] < 0);
  }
  for (size_t id = nodes_.size(); id-- > 0;) {
    // What is made of a region after its end, and depends on a parameter, has no value.
    needed[id] = needed[id] || (regions_around_[id] == 0 && !of_parameter[id]);
    if (!needed[id]) continue;
    for (const Node* operand : nodes_[id]->operands) needed[operand->id] = true;
  }
  for (auto& [hash, candidates] : by_hash_) {
    std::erase_if(candidates, [&](const Node* node) { return !needed[node->id]; });
  }
  size_t kept = 0;
  for (size_t id = 0; id < nodes_.size(); ++id) {
    if (!needed[id]) continue;
    auto* const node = const_cast<Node*>(nodes_[id]);  // made by Make, in the arena
    if (node->origin == node->id) node->origin = static_cast<int32_t>(kept);
    node->id = static_cast<int32_t>(kept);
    reported_[kept] = reported_[id];
    nodes_[kept++] = node;
  }
  nodes_.resize(kept);
  reported_.resize(kept);
  regions_around_.clear();
}

int Graph::AddOutput(const Node* node, const Node* target) {
  DYNACC_CHECK(node != nullptr && static_cast<size_t>(node->id) < nodes_.size() &&
               nodes_[node->id] == node)
      << "an output of another graph";
  DYNACC_CHECK(target == nullptr || (target->op == Op::kInput && target->dtype == node->dtype &&
                                     target->shape == node->shape))
      << "the target of an output is no input like it";
  outputs_.push_back(node);
  targets_.push_back(target);
  return static_cast<int>(outputs_.size()) - 1;
}

}  // namespace dynacc::ir
