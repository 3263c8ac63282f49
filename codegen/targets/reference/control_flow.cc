// Branches and loops by the reference target: rounds one after the other, each interpreted.
#include "codegen/ir/control_flow.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <limits>
#include <optional>

#include "codegen/targets/reference/reference_tensor.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/tensor/fp_flag.h"

namespace dynacc::reference {
namespace {

using Tensors = std::vector<ReferenceTensor>;

// What a node's graphs are run with.
struct Subgraphs {
  const EvaluationContext& context;
  const ir::Node& node;
  uint32_t flags = 0;

  absl::StatusOr<Tensors> Run(size_t index, absl::Span<ReferenceTensor* const> inputs) {
    std::vector<ScalarValue> numbers;
    for (const ScalarId id : ir::NumbersFor(node, index)) numbers.push_back(context.scalars[id]);
    return RunReference(*node.attrs.subgraphs[index], inputs, numbers, context.arguments, flags);
  }
};

ReferenceTensor SliceOf(ReferenceTensor& whole, int64_t at) {
  ReferenceTensor slice = MakeTensor(whole.dtype, {whole.shape.begin() + 1, whole.shape.end()});
  std::memcpy(slice.at(0), whole.at(at * slice.size()), slice.size() * ItemSize(slice.dtype));
  return slice;
}

// A loop's state between two rounds.
class Loop {
 public:
  Loop(const EvaluationContext& context, const ir::Node& node,
       std::vector<ReferenceTensor*> operands)
      : loop_(*ir::LoopAttrsOf(node.attrs)), subgraphs_{context, node} {
    auto next = operands.begin();
    if (loop_.length != kNoScalar) length_ = context.scalars[loop_.length].i;
    limit_ = length_;
    if (loop_.counted) {
      int64_t rounds;
      std::memcpy(&rounds, (*next++)->at(0), sizeof(rounds));
      limit_ = std::clamp<int64_t>(rounds, 0, length_);
    }
    for (int64_t i = 0; i < loop_.constants; ++i) constants_.push_back(*next++);
    for (int64_t i = 0; i < loop_.carries; ++i) carries_.push_back(**next++);
    for (int64_t i = 0; i < loop_.slices; ++i) slices_.push_back(*next++);
  }

  // `stacked`: the shapes of results of slices; what they hold at first is zeros.
  absl::Status Run(Tensors& stacked) {
    for (rounds_ = 0; rounds_ < limit_; ++rounds_) {
      DYNACC_ASSIGN_OR_RETURN(const bool goes_on, Holds());
      if (!goes_on) break;
      const int64_t at = loop_.reverse ? limit_ - 1 - rounds_ : rounds_;
      Tensors slices;
      for (ReferenceTensor* whole : slices_) slices.push_back(SliceOf(*whole, at));
      std::vector<ReferenceTensor*> inputs = ConstantsAndCarries();
      for (ReferenceTensor& slice : slices) inputs.push_back(&slice);
      DYNACC_ASSIGN_OR_RETURN(Tensors given, subgraphs_.Run(0, inputs));
      for (size_t i = carries_.size(); i < given.size(); ++i) {
        ReferenceTensor& whole = stacked[i - carries_.size()];
        std::memcpy(whole.at(at * given[i].size()), given[i].at(0),
                    given[i].size() * ItemSize(whole.dtype));
      }
      std::move(given.begin(), given.begin() + static_cast<int64_t>(carries_.size()),
                carries_.begin());
    }
    return absl::OkStatus();
  }

  Tensors& carries() { return carries_; }
  int64_t rounds() const { return rounds_; }
  uint32_t flags() const { return subgraphs_.flags; }

 private:
  std::vector<ReferenceTensor*> ConstantsAndCarries() {
    std::vector<ReferenceTensor*> inputs = constants_;
    for (ReferenceTensor& carry : carries_) inputs.push_back(&carry);
    return inputs;
  }

  absl::StatusOr<bool> Holds() {
    if (subgraphs_.node.attrs.subgraphs.size() < 2) return true;
    DYNACC_ASSIGN_OR_RETURN(Tensors given, subgraphs_.Run(1, ConstantsAndCarries()));
    return *given[0].at(0) != 0;
  }

  const ir::LoopAttrs loop_;
  Subgraphs subgraphs_;
  int64_t length_ = std::numeric_limits<int64_t>::max(), limit_ = 0, rounds_ = 0;
  std::vector<ReferenceTensor*> constants_, slices_;
  Tensors carries_;
};

void RaiseFlags(uint32_t flags) { std::feraiseexcept(static_cast<int>(HardwareFlagsOf(flags))); }

absl::Status EvaluateCond(const EvaluationContext& context, const ir::Node& node,
                          absl::Span<ReferenceTensor* const> operands, size_t index,
                          ReferenceTensor& result) {
  Subgraphs subgraphs{context, node};
  const size_t branch = *operands[0]->at(0) != 0 ? 0 : 1;
  DYNACC_ASSIGN_OR_RETURN(Tensors given, subgraphs.Run(branch, operands.subspan(1)));
  result = std::move(given[index]);
  RaiseFlags(subgraphs.flags);
  return absl::OkStatus();
}

}  // namespace

absl::Status EvaluateControlFlow(const EvaluationContext& context, ReferenceTensor& result) {
  const ir::ResultPlace place = ir::PlaceOfResult(context.node);
  const ir::Node& node = *place.control;
  const auto index = static_cast<size_t>(place.index);
  std::vector<ReferenceTensor*> operands;
  for (const ir::Node* operand : node.operands) operands.push_back(&context.tensors[operand->id]);
  if (node.op == Op::kCond) return EvaluateCond(context, node, operands, index, result);

  Loop loop(context, node, operands);
  const size_t num_carries = loop.carries().size();
  const size_t num_stacked = node.attrs.subgraphs[0]->outputs().size() - num_carries;
  Tensors stacked;
  ScalarProgram scalars = context.graph.scalars();
  DYNACC_ASSIGN_OR_RETURN(const std::vector<ir::NodeType> types,
                          ir::ResultTypes(node.op, node.operands, node.attrs, scalars));
  std::vector<ScalarValue> values(context.scalars.begin(), context.scalars.end());
  const auto known = static_cast<int>(values.size());
  values.resize(scalars.size());
  if (!scalars.EvaluateRest(known, absl::MakeSpan(values))) {
    return absl::AbortedError("reference: a size of a loop's result has no value");
  }
  for (size_t i = 0; i < num_stacked; ++i) {
    const ir::NodeType& type = types[num_carries + i];
    std::vector<int64_t> shape;
    for (const ScalarId size : type.shape) shape.push_back(values[size].i);
    stacked.push_back(MakeTensor(type.dtype, std::move(shape)));
  }
  DYNACC_RETURN_IF_ERROR(loop.Run(stacked));
  if (index < num_carries) {
    result = std::move(loop.carries()[index]);
  } else if (index < num_carries + num_stacked) {
    result = std::move(stacked[index - num_carries]);
  } else {
    const int64_t rounds = loop.rounds();
    std::memcpy(result.at(0), &rounds, sizeof(rounds));
  }
  RaiseFlags(loop.flags());
  return absl::OkStatus();
}

}  // namespace dynacc::reference
