// RandomGraph: legal graphs for fuzzing, with inputs for them.
#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/graph.h"
#include "codegen/ir/int_operator_attrs.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::reference {

class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed) : random_(seed) {}

  // A graph over two sizes that are inputs of its ScalarProgram.
  std::unique_ptr<ir::Graph> Make(int num_steps) {
    graph_ = std::make_unique<ir::Graph>();
    ScalarProgram& scalars = graph_->scalars();
    rows_ = scalars.AddInput(ScalarType::kInt);
    columns_ = scalars.AddInput(ScalarType::kInt);
    nodes_.clear();
    for (const DType dtype : {DType::kFloat64, DType::kInt32, DType::kFloat32, DType::kUInt8}) {
      nodes_.push_back(graph_->AddInput(dtype, {rows_, columns_}));
    }
    for (int i = 0; i < num_steps; ++i) Step();
    for (int i = 0; i < 6; ++i) graph_->AddOutput(Any());
    return std::move(graph_);
  }

  uint64_t Below(uint64_t limit) { return random_() % limit; }

 private:
  const ir::Node* Any() { return nodes_[Below(nodes_.size())]; }

  // A node of that dtype and shape: an existing one, or a number.
  const ir::Node* Like(const ir::Node* a) {
    for (uint64_t i = Below(2) * 8; i < 8; ++i) {  // half of the time a number at once
      const ir::Node* b = Any();
      if (b->dtype == a->dtype && b->shape == a->shape) return b;
    }
    ScalarProgram& scalars = graph_->scalars();
    static constexpr double kFloats[] = {0.0, -0.0, 1.0, 2.5};
    const ScalarId number = IsFloat(a->dtype) ? scalars.Float(kFloats[Below(4)])
                                              : scalars.Int(static_cast<int64_t>(Below(3)));
    return Below(2) ? graph_->Full(a->dtype, number, a->shape)
                    : graph_->BroadcastTo(graph_->Scalar(a->dtype, number), a->shape);
  }

  void Step() {
    using Maker = const ir::Node* (RandomGraph::*)(const ir::Node*);
    static constexpr Maker kMakers[] = {
        &RandomGraph::Unary,     &RandomGraph::Binary, &RandomGraph::Binary, &RandomGraph::Cast,
        &RandomGraph::Transpose, &RandomGraph::Slice,  &RandomGraph::Slice,  &RandomGraph::Where,
        &RandomGraph::Sum,       &RandomGraph::Roll,   &RandomGraph::Concat, &RandomGraph::Scan,
        &RandomGraph::Extreme,   &RandomGraph::Mean,   &RandomGraph::Gather, &RandomGraph::Gather,
        &RandomGraph::Scatter,   &RandomGraph::Int};
    const ir::Node* made = (this->*kMakers[Below(std::size(kMakers))])(Any());
    if (made != nullptr) nodes_.push_back(made);
  }

  const ir::Node* Unary(const ir::Node* a) {
    const Op op = static_cast<Op>(Below(NumOps()));
    return FindUnaryElementFn(op, a->dtype) != nullptr ? graph_->Unary(op, a) : nullptr;
  }
  const ir::Node* Binary(const ir::Node* a) {
    const Op op = static_cast<Op>(Below(NumOps()));
    if (FindBinaryElementFn(op, a->dtype) == nullptr) return nullptr;
    return Below(2) ? graph_->Binary(op, a, Like(a)) : graph_->Binary(op, Like(a), a);
  }
  const ir::Node* Cast(const ir::Node* a) {
    return graph_->Cast(static_cast<DType>(Below(kNumDTypes)), a);
  }
  const ir::Node* Transpose(const ir::Node* a) {
    return a->rank() == 2 ? graph_->Transpose(a, {1, 0}) : nullptr;
  }
  const ir::Node* Where(const ir::Node* a) {
    if (FindBinaryElementFn(Op::kLess, a->dtype) == nullptr) return nullptr;  // bfloat16
    const ir::Node* condition = graph_->Binary(Op::kLess, a, Like(a));
    if (Below(2)) condition = graph_->Unary(Op::kLogicalNot, condition);
    return graph_->Where(condition, a, Like(a));
  }
  const ir::Node* Sum(const ir::Node* a) {
    if (a->rank() == 0 || a->dtype == DType::kBool || IsLowPrecision(a->dtype)) return nullptr;
    const int64_t axis = static_cast<int64_t>(Below(a->rank()));
    return graph_->Reduce(Op::kReduceSum, a, {&axis, 1}, Below(2) != 0);
  }
  const ir::Node* Scan(const ir::Node* a) {
    if (a->rank() == 0) return nullptr;
    return graph_->Scan(Below(2) ? Op::kCumsum : Op::kCumprod, a,
                        static_cast<int64_t>(Below(a->rank())));
  }
  const ir::Node* Extreme(const ir::Node* a) {
    if (a->rank() == 0) return nullptr;
    std::vector<int64_t> axes = {static_cast<int64_t>(Below(a->rank()))};
    if (Below(3) == 0) {
      axes.resize(a->rank());
      std::iota(axes.begin(), axes.end(), 0);
    }
    return graph_->ArgExtreme(Below(2) ? Op::kArgMax : Op::kArgMin, a, axes, Below(2) != 0);
  }
  const ir::Node* Mean(const ir::Node* a) {
    if (!IsInexact(a->dtype) || IsLowPrecision(a->dtype)) return nullptr;
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < a->rank(); ++axis) {
      if (Below(2)) axes.push_back(axis);
    }
    return graph_->Mean(a, axes, Below(2) != 0);
  }
  // Indices of the first two elements, or the last, of any axis of some elements.
  const ir::Node* Index() {
    const ir::Node* const a = Any();
    if (a->rank() > 2 || FindBinaryElementFn(Op::kLess, a->dtype) == nullptr) return nullptr;
    static constexpr DType kDTypes[] = {DType::kInt64, DType::kUInt8, DType::kInt32};
    const ir::Node* const index =
        graph_->Cast(kDTypes[Below(3)], graph_->Binary(Op::kLess, a, Like(a)));
    return index->dtype != DType::kUInt8 && Below(2) ? graph_->Unary(Op::kNegative, index) : index;
  }
  // The first two axes' elements at an index, a number and a part; `elements`: their shape.
  bool PlacesIn(const ir::Node* a, ir::GatherAttrs& places, std::vector<ScalarId>& elements,
                const ir::Node*& index) {
    index = Index();
    const bool fits = index != nullptr && a->rank() > 0 && a->rank() < 3 &&
                      (a->shape[0] == rows_ || a->shape[0] == columns_);
    if (!fits) return false;
    places.items.resize(a->rank());
    places.items[0] = {.kind = ir::PlaceItem::Kind::kOperand, .operand = 1};
    elements.assign(index->shape.begin(), index->shape.end());
    if (a->rank() == 1) return true;
    ir::PlaceItem& last = places.items[1];
    switch (Below(3)) {
      case 0:
        last = {.kind = ir::PlaceItem::Kind::kNumber, .number = Below(2) ? 0 : -1};
        break;
      case 1:
        last.kind = ir::PlaceItem::Kind::kPart;
        last.to = ir::PlaceItem::Bound{.number = 1};
        elements.push_back(graph_->scalars().Int(1));
        break;
      default:
        elements.push_back(a->shape[1]);
    }
    return true;
  }
  const ir::Node* Gather(const ir::Node* a) {
    ir::GatherAttrs places;
    std::vector<ScalarId> shape;
    const ir::Node* index;
    if (!PlacesIn(a, places, shape, index)) return nullptr;
    return graph_->Gather({a, index}, places, shape);
  }
  const ir::Node* Scatter(const ir::Node* a) {
    ir::ScatterAttrs attrs;
    std::vector<ScalarId> shape;
    const ir::Node* index;
    if (!PlacesIn(a, attrs.places, shape, index)) return nullptr;
    static constexpr Op kOps[] = {Op::kAdd, Op::kMultiply, Op::kMaximum};
    const Op op = kOps[Below(3)];
    if (Below(2) && FindBinaryElementFn(op, a->dtype) != nullptr) attrs.op = op;
    if (Below(2)) return graph_->Scatter({a, index}, attrs, graph_->scalars().Int(1));
    attrs.value = 2;
    const ir::Node* const value = graph_->Gather({a, index}, attrs.places, shape);
    return graph_->Scatter({a, index, value}, attrs);
  }
  // An operation on a single int that no int is too large for.
  const ir::Node* Int(const ir::Node* a) {
    if (a->rank() != 0 || !IsInteger(a->dtype)) return nullptr;
    static const executor::IntOperation kOperations[] = {
        {executor::IntOperation::Operator::kPositive, {{.operand = 0}}},
        {executor::IntOperation::Operator::kRightShift, {{.operand = 0}, {.number = 1}}},
        {executor::IntOperation::Operator::kFloorDivide, {{.operand = 0}, {.number = 3}}},
        {executor::IntOperation::Operator::kSubtract, {{.operand = 0}, {.operand = 0}}}};
    return graph_->IntOperator({a}, kOperations[Below(4)], a->dtype);
  }
  // By one, or as much as leaves one, along one axis.
  const ir::Node* Roll(const ir::Node* a) {
    if (a->rank() == 0) return nullptr;
    ScalarProgram& scalars = graph_->scalars();
    const uint64_t axis = Below(a->rank());
    if (a->shape[axis] != rows_ && a->shape[axis] != columns_) return nullptr;
    std::vector<ScalarId> shifts(a->rank(), scalars.Int(0));
    const ScalarId one = scalars.Int(1);
    shifts[axis] = Below(2) ? one : scalars.Apply(ScalarOp::kSub, a->shape[axis], one);
    return graph_->Roll(a, shifts);
  }
  const ir::Node* Concat(const ir::Node* a) {
    if (a->rank() == 0) return nullptr;
    ScalarProgram& scalars = graph_->scalars();
    const ir::Node* const parts[] = {a, Like(a)};
    const int64_t axis = static_cast<int64_t>(Below(a->rank()));
    std::vector<ScalarId> shape(a->shape.begin(), a->shape.end());
    shape[axis] = scalars.Apply(ScalarOp::kAdd, shape[axis], shape[axis]);
    return graph_->Concat(parts, axis, shape);
  }
  // All but the first or the last along the first axis, or its reverse.
  const ir::Node* Slice(const ir::Node* a) {
    if (a->rank() == 0 || (a->shape[0] != rows_ && a->shape[0] != columns_)) return nullptr;
    ScalarProgram& scalars = graph_->scalars();
    const ScalarId last = scalars.Apply(ScalarOp::kSub, a->shape[0], scalars.Int(1));
    std::vector<ScalarId> shape(a->shape.begin(), a->shape.end());
    std::vector<ScalarId> start(a->rank(), scalars.Int(0));
    std::vector<ScalarId> step(a->rank(), scalars.Int(1));
    std::vector<int64_t> axis;
    for (int d = 0; d < a->rank(); ++d) axis.push_back(d);
    const bool flip = Below(3) == 0;
    if (!flip) shape[0] = last;
    start[0] = flip ? last : scalars.Int(static_cast<int64_t>(Below(2)));
    if (flip) step[0] = scalars.Int(-1);
    return graph_->View(a, shape, axis, start, step);
  }

  std::mt19937_64 random_;
  std::unique_ptr<ir::Graph> graph_;
  std::vector<const ir::Node*> nodes_;
  ScalarId rows_ = kNoScalar;
  ScalarId columns_ = kNoScalar;
};

}  // namespace dynacc::reference
