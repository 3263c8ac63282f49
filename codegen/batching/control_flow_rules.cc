// Rules of nodes that run graphs (batching_rules.h): their graphs are batched, too.
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "codegen/batching/batching_rules.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/subgraph.h"
#include "runtime/base/status_macros.h"
#include "runtime/scalar/append_program.h"

namespace dynacc::batching {
namespace {

using Flags = std::vector<bool>;

// A graph being made of one that a node runs: it takes the numbers that that one takes and, if the
// size of the batch is no constant, that.
class BatchedGraph {
 public:
  BatchedGraph(const Batch& batch, const ir::Graph& from)
      : from_(from), made_(std::make_shared<ir::Graph>()) {
    ScalarProgram& scalars = made_->scalars();
    const auto leaf = [&](ScalarId, const ScalarExpr& expr) {
      numbers_.push_back(scalars.AddInput(expr.type));
      return numbers_.back();
    };
    AppendProgram(from.scalars(), scalars, leaf, ids_);
    int64_t size;
    takes_size_ = !batch.graph.scalars().IsIntConst(batch.size, &size);
    size_ = takes_size_ ? scalars.AddInput(ScalarType::kInt) : scalars.Int(size);
  }

  // The next of the graph's inputs, with the batch axis where `flags` say.
  void AddInputs(const Flags& flags) {
    for (size_t i = 0; i < flags.size(); ++i) {
      const ir::Node& input = *from_.inputs()[inputs_.size()];
      ir::ShapeVector shape;
      if (flags[i]) shape.push_back(size_);
      for (const ScalarId size : input.shape) shape.push_back(ids_[size]);
      inputs_.push_back({made_->AddInput(input.dtype, shape), flags[i]});
    }
  }

  absl::StatusOr<std::vector<Batched>> Run() {
    return BatchInto(from_, *made_, inputs_, numbers_, size_);
  }
  // What another graph that takes the same inputs, the first of these, gives.
  absl::StatusOr<std::vector<Batched>> RunOther(const ir::Graph& other) {
    const auto leaf = [&](ScalarId, const ScalarExpr& expr) {
      other_numbers_.push_back(made_->scalars().AddInput(expr.type));
      return other_numbers_.back();
    };
    std::vector<ScalarId> ids;
    AppendProgram(other.scalars(), made_->scalars(), leaf, ids);
    const absl::Span<const Batched> all = inputs_;
    return BatchInto(other, *made_, all.subspan(0, other.inputs().size()), other_numbers_, size_);
  }

  void AddOutput(Batched value, bool has_axis) {
    const ir::Node* const node = has_axis ? WithBatchAxis(*made_, value, size_) : value.node;
    AddOutput(node);
  }
  void AddOutput(const ir::Node* node) { made_->AddOutput(made_->Copied(Op::kCOrder, node)); }

  // The numbers that the graph takes, of those that `from` takes.
  void AppendNumbers(const Batch& batch, absl::Span<const ScalarId> own,
                     std::vector<ScalarId>& numbers) const {
    numbers.insert(numbers.end(), own.begin(), own.end());
    if (takes_size_) numbers.push_back(batch.size);
  }

  const std::shared_ptr<ir::Graph>& graph() const { return made_; }
  absl::Span<const Batched> inputs() const { return inputs_; }
  ScalarId size() const { return size_; }

 private:
  const ir::Graph& from_;
  std::shared_ptr<ir::Graph> made_;
  std::vector<ScalarId> ids_;  // by the ids of `from_`
  std::vector<ScalarId> numbers_, other_numbers_;
  std::vector<Batched> inputs_;
  ScalarId size_ = kNoScalar;
  bool takes_size_ = false;
};

// Which outputs of the graph have the batch axis if these inputs have it.
absl::StatusOr<Flags> FlagsOfOutputs(const Batch& batch, const ir::Graph& graph,
                                     const Flags& inputs) {
  BatchedGraph batched(batch, graph);
  batched.AddInputs(inputs);
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Batched> outputs, batched.Run());
  Flags flags;
  for (const Batched& output : outputs) flags.push_back(output.has_axis);
  return flags;
}

Flags FlagsOf(absl::Span<const Batched> operands) {
  Flags flags;
  for (const Batched& operand : operands) flags.push_back(operand.has_axis);
  return flags;
}

// `condition`, of the batch's shape, in the shape of `like`.
const ir::Node* Spread(ir::Graph& graph, const ir::Node* condition, const ir::Node* like) {
  ScalarProgram& scalars = graph.scalars();
  std::vector<int64_t> axis(like->shape.size(), -1);
  ir::ShapeVector step(like->shape.size(), scalars.Int(0));
  axis[0] = 0;
  step[0] = scalars.Int(1);
  return graph.View(condition, like->shape, axis, {scalars.Int(0)}, step);
}

const ir::Node* Choose(ir::Graph& graph, const ir::Node* condition, const ir::Node* a,
                       const ir::Node* b) {
  return graph.Where(Spread(graph, condition, a), a, b);
}

// The numbers of the node's subgraph `index`, in the graph that is made.
std::vector<ScalarId> NumbersFor(const Batch& batch, size_t index) {
  std::vector<ScalarId> numbers;
  for (const ScalarId id : ir::NumbersFor(batch.node, index)) numbers.push_back(batch.numbers[id]);
  return numbers;
}

// Both sides for every example.
Results ChooseByExample(const Batch& batch) {
  std::vector<std::vector<Batched>> sides;
  for (size_t i = 0; i < 2; ++i) {
    DYNACC_ASSIGN_OR_RETURN(std::vector<Batched> side,
                            BatchInto(*batch.node.attrs.subgraphs[i], batch.graph,
                                      batch.operands.subspan(1), NumbersFor(batch, i), batch.size));
    sides.push_back(std::move(side));
  }
  std::vector<Batched> results;
  for (size_t i = 0; i < sides[0].size(); ++i) {
    const ir::Node* const a = WithBatchAxis(batch.graph, sides[0][i], batch.size);
    const ir::Node* const b = WithBatchAxis(batch.graph, sides[1][i], batch.size);
    results.push_back({Choose(batch.graph, batch.Of(0), a, b), true});
  }
  return results;
}

// Results of a node that runs graphs, of which `flags` say which have the batch axis.
std::vector<Batched> ResultsOf(ir::Graph& graph, const ir::Node* node, const Flags& flags) {
  std::vector<Batched> results;
  for (size_t i = 0; i < flags.size(); ++i) {
    results.push_back({ir::ResultOf(graph, node, static_cast<int64_t>(i)), flags[i]});
  }
  return results;
}

// A Loop on its way to a batched one.
struct BatchedLoop {
  ir::LoopAttrs attrs;
  Flags constants, carries, slices;

  Flags OfBody() const {
    Flags all = OfCondition();
    all.insert(all.end(), slices.begin(), slices.end());
    return all;
  }
  Flags OfCondition() const {
    Flags all = constants;
    all.insert(all.end(), carries.begin(), carries.end());
    return all;
  }
};

// A carry has the axis once a round gives it.
absl::Status SpreadCarries(const Batch& batch, BatchedLoop& loop) {
  for (bool changed = true; changed;) {
    DYNACC_ASSIGN_OR_RETURN(const Flags given,
                            FlagsOfOutputs(batch, *batch.node.attrs.subgraphs[0], loop.OfBody()));
    changed = false;
    for (size_t i = 0; i < loop.carries.size(); ++i) {
      changed = changed || (given[i] && !loop.carries[i]);
      loop.carries[i] = loop.carries[i] || given[i];
    }
  }
  return absl::OkStatus();
}

// The operands with the axis where the loop's graphs have it.
std::vector<const ir::Node*> OperandsOf(const Batch& batch, const BatchedLoop& loop) {
  std::vector<const ir::Node*> nodes;
  const int64_t first_carry = loop.attrs.first() + loop.attrs.constants;
  for (size_t i = 0; i < batch.operands.size(); ++i) {
    const int64_t carry = static_cast<int64_t>(i) - first_carry;
    const bool is_carry = carry >= 0 && carry < loop.attrs.carries;
    const bool has_axis = is_carry ? loop.carries[carry] : batch.Has(i);
    const ir::Node* node = has_axis ? batch.With(i) : batch.Of(i);
    if (carry >= loop.attrs.carries && batch.Has(i)) {  // slices: the axis of rounds stays in front
      std::vector<int64_t> turned = {1, 0};
      for (int d = 2; d < node->rank(); ++d) turned.push_back(d);
      node = batch.graph.Transpose(node, turned);
    }
    nodes.push_back(node);
  }
  return nodes;
}

// Arrays of slices have the axis of rounds in front: it goes behind the batch's.
Batched Turned(ir::Graph& graph, Batched stacked) {
  if (!stacked.has_axis) return stacked;
  std::vector<int64_t> turned = {1, 0};
  for (int d = 2; d < stacked.node->rank(); ++d) turned.push_back(d);
  return {graph.Transpose(stacked.node, turned), true};
}

std::vector<Batched> TurnStacked(const Batch& batch, std::vector<Batched> results,
                                 int64_t num_carries) {
  for (size_t i = static_cast<size_t>(num_carries); i + 1 < results.size(); ++i) {
    results[i] = Turned(batch.graph, results[i]);
  }
  return results;
}

// All examples make the same rounds.
Results LoopTogether(const Batch& batch, const BatchedLoop& loop) {
  BatchedGraph body(batch, *batch.node.attrs.subgraphs[0]);
  body.AddInputs(loop.OfBody());
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Batched> given, body.Run());
  Flags flags = loop.carries;
  for (size_t i = flags.size(); i < given.size(); ++i) flags.push_back(given[i].has_axis);
  for (size_t i = 0; i < given.size(); ++i) body.AddOutput(given[i], flags[i]);
  flags.push_back(false);  // the number of rounds
  std::vector<ScalarId> numbers;
  if (loop.attrs.length != kNoScalar) numbers.push_back(batch.scalars[0]);
  body.AppendNumbers(batch, NumbersFor(batch, 0), numbers);
  std::vector<const ir::Graph*> graphs = {body.graph().get()};
  std::shared_ptr<ir::Graph> condition;
  if (batch.node.attrs.subgraphs.size() > 1) {
    BatchedGraph made(batch, *batch.node.attrs.subgraphs[1]);
    made.AddInputs(loop.OfCondition());
    DYNACC_ASSIGN_OR_RETURN(const std::vector<Batched> holds, made.Run());
    made.AddOutput(holds[0], false);
    made.AppendNumbers(batch, NumbersFor(batch, 1), numbers);
    condition = made.graph();
    graphs.push_back(condition.get());
  }
  const std::vector<const ir::Node*> operands = OperandsOf(batch, loop);
  const ir::Node* const node =
      ir::MakeControlFlow(batch.graph, Op::kLoop, operands,
                          {.ints = batch.node.attrs.ints, .scalars = numbers, .subgraphs = graphs});
  return TurnStacked(batch, ResultsOf(batch.graph, node, flags), loop.attrs.carries);
}

// The counts of rounds that a loop by example carries along behind its carries: one for each.
const ir::Node* AddCounts(ir::Graph& graph, ScalarId size) {
  return graph.AddInput(DType::kInt64, {size});
}

// The body of such a loop: an example that has ended keeps its carries, gives zeros, and does not
// count.
absl::StatusOr<std::shared_ptr<ir::Graph>> BodyByExample(const Batch& batch,
                                                         const BatchedLoop& loop,
                                                         std::vector<ScalarId>& numbers) {
  BatchedGraph body(batch, *batch.node.attrs.subgraphs[0]);
  body.AddInputs(loop.OfCondition());
  ir::Graph& graph = *body.graph();
  const ir::Node* const counts = AddCounts(graph, body.size());
  body.AddInputs(loop.slices);
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Batched> given, body.Run());
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Batched> holds,
                          body.RunOther(*batch.node.attrs.subgraphs[1]));
  const ir::Node* const goes_on = WithBatchAxis(graph, holds[0], body.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (i == loop.carries.size()) {
      body.AddOutput(graph.Binary(Op::kAdd, counts, graph.Cast(DType::kInt64, goes_on)));
    }
    const ir::Node* const next = WithBatchAxis(graph, given[i], body.size());
    const ir::Node* const kept = i < loop.carries.size()
                                     ? body.inputs()[loop.constants.size() + i].node
                                     : graph.Full(next->dtype, graph.scalars().Int(0), next->shape);
    body.AddOutput(Choose(graph, goes_on, next, kept));
  }
  if (given.size() == loop.carries.size()) {
    body.AddOutput(graph.Binary(Op::kAdd, counts, graph.Cast(DType::kInt64, goes_on)));
  }
  body.AppendNumbers(batch, NumbersFor(batch, 0), numbers);
  const std::vector<ScalarId> of_condition = NumbersFor(batch, 1);
  numbers.insert(numbers.end(), of_condition.begin(), of_condition.end());
  return body.graph();
}

// Whether any example goes on.
absl::StatusOr<std::shared_ptr<ir::Graph>> AnyGoesOn(const Batch& batch, const BatchedLoop& loop,
                                                     std::vector<ScalarId>& numbers) {
  BatchedGraph any(batch, *batch.node.attrs.subgraphs[1]);
  any.AddInputs(loop.OfCondition());
  AddCounts(*any.graph(), any.size());
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Batched> holds, any.Run());
  const ir::Node* const all = WithBatchAxis(*any.graph(), holds[0], any.size());
  any.AddOutput(any.graph()->Reduce(Op::kReduceAny, all, {0}, false));
  any.AppendNumbers(batch, NumbersFor(batch, 1), numbers);
  return any.graph();
}

// Each example ends when its own condition does, which makes all carries the example's own.
Results LoopByExample(const Batch& batch, BatchedLoop loop) {
  loop.carries.assign(loop.carries.size(), true);
  std::vector<ScalarId> numbers;
  if (loop.attrs.length != kNoScalar) numbers.push_back(batch.scalars[0]);
  DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<ir::Graph> body,
                          BodyByExample(batch, loop, numbers));
  DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<ir::Graph> any, AnyGoesOn(batch, loop, numbers));
  std::vector<const ir::Node*> operands = OperandsOf(batch, loop);
  const ScalarId size[] = {batch.size};
  const ir::Node* const zeros = batch.graph.Full(DType::kInt64, batch.graph.scalars().Int(0), size);
  const int64_t behind = loop.attrs.first() + loop.attrs.constants + loop.attrs.carries;
  operands.insert(operands.begin() + behind, zeros);
  ir::LoopAttrs attrs = loop.attrs;
  ++attrs.carries;
  const std::vector<int64_t> ints = ir::EncodeLoop(attrs);
  const ir::Graph* const graphs[] = {body.get(), any.get()};
  const ir::Node* const node = ir::MakeControlFlow(
      batch.graph, Op::kLoop, operands, {.ints = ints, .scalars = numbers, .subgraphs = graphs});
  std::vector<Batched> results =
      ResultsOf(batch.graph, node, Flags(body->outputs().size() + 1, true));
  results.back() = results[attrs.carries - 1];  // the rounds of each
  results.erase(results.begin() + attrs.carries - 1);
  return TurnStacked(batch, std::move(results), loop.attrs.carries);
}

}  // namespace

Results BatchSlices(const Batch& batch) {
  if (ir::DefinedBy(batch.node) != kNoScalar) return BatchRefused(batch);
  std::vector<const ir::Node*> inputs, operands, slices, sliced;
  for (size_t i = 0; i < batch.operands.size(); ++i) {
    const ir::Node* const operand = batch.node.operands[i];
    const bool is_known =
        absl::c_linear_search(inputs, operand) || absl::c_linear_search(sliced, operand);
    if (is_known) continue;
    (batch.Has(i) ? sliced : inputs).push_back(operand);
    (batch.Has(i) ? slices : operands).push_back(batch.Of(i));
  }
  const ir::LoopAttrs loop = {.constants = static_cast<int64_t>(operands.size()),
                              .slices = static_cast<int64_t>(slices.size()),
                              .length = batch.size};
  inputs.insert(inputs.end(), sliced.begin(), sliced.end());
  operands.insert(operands.end(), slices.begin(), slices.end());
  std::vector<ScalarId> own, numbers = {batch.size};
  const std::shared_ptr<ir::Graph> body = ir::GraphOfNode(batch.from, batch.node, inputs, own);
  for (const ScalarId id : own) numbers.push_back(batch.numbers[id]);
  const ir::Graph* const graphs[] = {body.get()};
  const std::vector<int64_t> ints = ir::EncodeLoop(loop);
  const ir::Node* const node = ir::MakeControlFlow(
      batch.graph, Op::kLoop, operands, {.ints = ints, .scalars = numbers, .subgraphs = graphs});
  return ResultsOf(batch.graph, node, Flags(body->outputs().size(), true));
}

Results BatchCond(const Batch& batch) {
  if (batch.Has(0)) return ChooseByExample(batch);
  const Flags inputs = FlagsOf(batch.operands.subspan(1));
  Flags flags;
  for (const ir::Graph* branch : batch.node.attrs.subgraphs) {
    DYNACC_ASSIGN_OR_RETURN(const Flags given, FlagsOfOutputs(batch, *branch, inputs));
    flags.resize(given.size());
    for (size_t i = 0; i < given.size(); ++i) flags[i] = flags[i] || given[i];
  }
  std::vector<std::shared_ptr<ir::Graph>> kept;
  std::vector<const ir::Graph*> graphs;
  std::vector<ScalarId> numbers;
  for (size_t branch = 0; branch < 2; ++branch) {
    BatchedGraph made(batch, *batch.node.attrs.subgraphs[branch]);
    made.AddInputs(inputs);
    DYNACC_ASSIGN_OR_RETURN(const std::vector<Batched> given, made.Run());
    for (size_t i = 0; i < given.size(); ++i) made.AddOutput(given[i], flags[i]);
    made.AppendNumbers(batch, NumbersFor(batch, branch), numbers);
    kept.push_back(made.graph());
    graphs.push_back(kept.back().get());
  }
  std::vector<const ir::Node*> operands;
  for (const Batched& operand : batch.operands) operands.push_back(operand.node);
  const ir::Node* const node = ir::MakeControlFlow(batch.graph, Op::kCond, operands,
                                                   {.scalars = numbers, .subgraphs = graphs});
  return ResultsOf(batch.graph, node, flags);
}

Results BatchLoop(const Batch& batch) {
  BatchedLoop loop;
  loop.attrs = *ir::LoopAttrsOf(batch.node.attrs);
  if (loop.attrs.counted && batch.Has(0)) return BatchSlices(batch);
  const Flags all = FlagsOf(batch.operands.subspan(loop.attrs.first()));
  auto next = all.begin();
  loop.constants.assign(next, next + loop.attrs.constants);
  next += loop.attrs.constants;
  loop.carries.assign(next, next + loop.attrs.carries);
  loop.slices.assign(next + loop.attrs.carries, all.end());
  DYNACC_RETURN_IF_ERROR(SpreadCarries(batch, loop));
  if (batch.node.attrs.subgraphs.size() < 2) return LoopTogether(batch, loop);
  DYNACC_ASSIGN_OR_RETURN(
      const Flags holds, FlagsOfOutputs(batch, *batch.node.attrs.subgraphs[1], loop.OfCondition()));
  return holds[0] ? LoopByExample(batch, loop) : LoopTogether(batch, loop);
}

Results BatchResult(const Batch&) {
  return absl::InternalError("a result of a node that is not batched");
}

}  // namespace dynacc::batching
