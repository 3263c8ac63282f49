#include "codegen/ir/control_flow.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/scalar/append_program.h"

namespace dynacc::ir {
namespace {

// attrs.ints[3] of a Loop.
constexpr int64_t kCounted = 1, kReverse = 2, kLimited = 4;

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Whether two sizes may be the same number.
bool MayAgree(const ScalarProgram& a_scalars, ScalarId a, const ScalarProgram& b_scalars,
              ScalarId b) {
  int64_t left, right;
  return !a_scalars.IsIntConst(a, &left) || !b_scalars.IsIntConst(b, &right) || left == right;
}

// Whether a node of one graph may have the type that one of another has, from its axis `skipped`.
bool MayBeLike(const ScalarProgram& scalars, const Node& node, size_t skipped,
               const ScalarProgram& other_scalars, const Node& other) {
  if (node.dtype != other.dtype || node.shape.size() != other.shape.size() + skipped) return false;
  for (size_t d = 0; d < other.shape.size(); ++d) {
    if (!MayAgree(scalars, node.shape[d + skipped], other_scalars, other.shape[d])) return false;
  }
  return true;
}

std::string TypeText(const ScalarProgram& scalars, const Node& node) {
  return PrintType(scalars, node.dtype, node.shape);
}

// The types of a subgraph's outputs in the graph that it runs in.
absl::StatusOr<std::vector<NodeType>> OutputTypes(const Graph& subgraph,
                                                  absl::Span<const ScalarId> numbers,
                                                  ScalarProgram& scalars) {
  std::vector<ScalarId> mapped;
  bool is_known = true;
  AppendProgram(
      subgraph.scalars(), scalars,
      [&](ScalarId, const ScalarExpr& expr) {
        const bool is_number = expr.op == ScalarOp::kInput;
        is_known = is_known && is_number;
        return is_number ? numbers[expr.value.i] : scalars.Int(0);
      },
      mapped);
  if (!is_known) return Wrong("a subgraph has sizes that only its run tells");
  std::vector<NodeType> types;
  for (const Node* output : subgraph.outputs()) {
    NodeType type = {output->dtype, {}};
    for (const ScalarId size : output->shape) type.shape.push_back(mapped[size]);
    types.push_back(std::move(type));
  }
  return types;
}

// Whether the subgraph takes these operands, of slices without their first axis.
absl::Status CheckInputs(const ScalarProgram& scalars, const Graph& subgraph,
                         absl::Span<const Node* const> operands, size_t num_slices,
                         absl::string_view what) {
  if (subgraph.inputs().size() != operands.size()) {
    return Wrong(absl::StrCat("the ", what, " takes ", subgraph.inputs().size(), " arrays, not ",
                              operands.size()));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t skipped = i + num_slices < operands.size() ? 0 : 1;
    const Node& input = *subgraph.inputs()[i];
    if (MayBeLike(scalars, *operands[i], skipped, subgraph.scalars(), input)) continue;
    return Wrong(absl::StrCat("the ", what, "'s input ", i, " is ",
                              TypeText(subgraph.scalars(), input), ", the operand ",
                              TypeText(scalars, *operands[i])));
  }
  for (const Node* target : subgraph.targets()) {
    if (target != nullptr) return Wrong(absl::StrCat("the ", what, " writes into an input"));
  }
  return absl::OkStatus();
}

absl::Status CheckNumbers(const NodeAttrs& attrs, size_t first) {
  size_t wanted = first;
  for (const Graph* subgraph : attrs.subgraphs) wanted += subgraph->scalars().num_inputs();
  if (attrs.scalars.size() == wanted) return absl::OkStatus();
  return Wrong(absl::StrCat("the subgraphs take ", wanted - first, " numbers, not ",
                            attrs.scalars.size() - std::min(first, attrs.scalars.size())));
}

bool IsBool(const Node& node) { return node.dtype == DType::kBool && node.rank() == 0; }

absl::StatusOr<std::vector<NodeType>> CondTypes(absl::Span<const Node* const> operands,
                                                const NodeAttrs& attrs, ScalarProgram& scalars) {
  if (attrs.subgraphs.size() != 2) return Wrong("takes two subgraphs");
  if (operands.empty() || !IsBool(*operands[0])) return Wrong("takes a condition, one bool");
  DYNACC_RETURN_IF_ERROR(CheckNumbers(attrs, 0));
  const Graph& first = *attrs.subgraphs[0];
  const Graph& second = *attrs.subgraphs[1];
  for (const Graph* branch : attrs.subgraphs) {
    DYNACC_RETURN_IF_ERROR(CheckInputs(scalars, *branch, operands.subspan(1), 0, "branch"));
  }
  if (first.outputs().size() != second.outputs().size() || first.outputs().empty()) {
    return Wrong("the branches give as many results, one or more");
  }
  for (size_t i = 0; i < first.outputs().size(); ++i) {
    const Node& a = *first.outputs()[i];
    const Node& b = *second.outputs()[i];
    if (MayBeLike(first.scalars(), a, 0, second.scalars(), b)) continue;
    return Wrong(absl::StrCat("result ", i, " is ", TypeText(first.scalars(), a),
                              " of the first branch and ", TypeText(second.scalars(), b),
                              " of the second"));
  }
  const size_t count = first.scalars().num_inputs();
  return OutputTypes(first, attrs.scalars.subspan(0, count), scalars);
}

absl::Status CheckLoop(absl::Span<const Node* const> operands, const NodeAttrs& attrs,
                       const LoopAttrs& loop, const ScalarProgram& scalars) {
  if (attrs.subgraphs.empty() || attrs.subgraphs.size() > 2) {
    return Wrong("takes a body and perhaps a condition");
  }
  if (static_cast<int64_t>(operands.size()) != loop.num_operands()) {
    return Wrong(absl::StrCat("takes ", loop.num_operands(), " operands, not ", operands.size()));
  }
  const bool ends = attrs.subgraphs.size() == 2 || loop.length != kNoScalar;
  if (!ends) return Wrong("has neither a length nor a condition");
  const bool is_counted = loop.counted && operands[0]->dtype == DType::kInt64 &&
                          operands[0]->rank() == 0 && loop.length != kNoScalar;
  if (loop.counted && !is_counted) return Wrong("counts rounds by one int64, up to a length");
  DYNACC_RETURN_IF_ERROR(CheckNumbers(attrs, loop.length != kNoScalar ? 1 : 0));
  const Graph& body = *attrs.subgraphs[0];
  const absl::Span<const Node* const> taken = operands.subspan(loop.first());
  DYNACC_RETURN_IF_ERROR(
      CheckInputs(scalars, body, taken, static_cast<size_t>(loop.slices), "body"));
  const auto num_carries = static_cast<size_t>(loop.carries);
  if (body.outputs().size() < num_carries || body.outputs().empty()) {
    return Wrong("the body gives each carry, and one result or more");
  }
  for (size_t i = 0; i < num_carries; ++i) {
    const Node& before = *taken[loop.constants + i];
    const Node& after = *body.outputs()[i];
    if (MayBeLike(scalars, before, 0, body.scalars(), after)) continue;
    return Wrong(absl::StrCat("carry ", i, " is ", TypeText(scalars, before),
                              " before a round and ", TypeText(body.scalars(), after), " after"));
  }
  const bool stacks = body.outputs().size() > num_carries || loop.slices > 0;
  if (stacks && loop.length == kNoScalar) return Wrong("slices are those of a limited loop");
  if (attrs.subgraphs.size() == 1) return absl::OkStatus();
  const Graph& condition = *attrs.subgraphs[1];
  DYNACC_RETURN_IF_ERROR(CheckInputs(
      scalars, condition, taken.subspan(0, loop.constants + loop.carries), 0, "condition"));
  if (condition.outputs().size() == 1 && IsBool(*condition.outputs()[0])) return absl::OkStatus();
  return Wrong("the condition gives one bool");
}

absl::StatusOr<std::vector<NodeType>> LoopTypes(absl::Span<const Node* const> operands,
                                                const NodeAttrs& attrs, ScalarProgram& scalars) {
  const std::optional<LoopAttrs> loop = LoopAttrsOf(attrs);
  if (!loop) return Wrong("has no attributes of a loop");
  DYNACC_RETURN_IF_ERROR(CheckLoop(operands, attrs, *loop, scalars));
  const Graph& body = *attrs.subgraphs[0];
  const size_t from = loop->length != kNoScalar ? 1 : 0;
  const size_t count = body.scalars().num_inputs();
  DYNACC_ASSIGN_OR_RETURN(std::vector<NodeType> types,
                          OutputTypes(body, attrs.scalars.subspan(from, count), scalars));
  for (size_t i = 0; i < types.size(); ++i) {
    if (i < static_cast<size_t>(loop->carries)) {
      const Node& carry = *operands[loop->first() + loop->constants + i];
      types[i].shape.assign(carry.shape.begin(), carry.shape.end());
    } else {
      types[i].shape.insert(types[i].shape.begin(), loop->length);
    }
  }
  types.push_back({DType::kInt64, {}});
  return types;
}

}  // namespace

std::vector<int64_t> EncodeLoop(const LoopAttrs& attrs) {
  const int64_t bits = (attrs.counted ? kCounted : 0) | (attrs.reverse ? kReverse : 0) |
                       (attrs.length != kNoScalar ? kLimited : 0);
  return {attrs.constants, attrs.carries, attrs.slices, bits};
}

std::optional<LoopAttrs> LoopAttrsOf(const NodeAttrs& attrs) {
  if (attrs.ints.size() != 4) return std::nullopt;
  for (const int64_t number : attrs.ints) {
    if (number < 0 || number > (int64_t{1} << 32)) return std::nullopt;
  }
  const int64_t bits = attrs.ints[3];
  const bool is_limited = (bits & kLimited) != 0;
  if (bits >= 2 * kLimited || (is_limited && attrs.scalars.empty())) return std::nullopt;
  return LoopAttrs{.constants = attrs.ints[0],
                   .carries = attrs.ints[1],
                   .slices = attrs.ints[2],
                   .counted = (bits & kCounted) != 0,
                   .reverse = (bits & kReverse) != 0,
                   .length = is_limited ? attrs.scalars[0] : kNoScalar};
}

absl::Span<const ScalarId> NumbersFor(const Node& node, size_t index) {
  const bool is_limited = node.op == Op::kLoop && (node.attrs.ints[3] & kLimited) != 0;
  size_t from = is_limited ? 1 : 0;
  for (size_t i = 0; i < index; ++i) from += node.attrs.subgraphs[i]->scalars().num_inputs();
  return node.attrs.scalars.subspan(from, node.attrs.subgraphs[index]->scalars().num_inputs());
}

absl::StatusOr<std::vector<NodeType>> ResultTypes(Op op, absl::Span<const Node* const> operands,
                                                  const NodeAttrs& attrs, ScalarProgram& scalars) {
  return op == Op::kCond ? CondTypes(operands, attrs, scalars)
                         : LoopTypes(operands, attrs, scalars);
}

const Node* MakeControlFlow(Graph& graph, Op op, absl::Span<const Node* const> operands,
                            const NodeAttrs& attrs) {
  const absl::StatusOr<std::vector<NodeType>> types =
      ResultTypes(op, operands, attrs, graph.scalars());
  DYNACC_CHECK(types.ok()) << Info(op).text << ": " << types.status().message();
  return graph.Make(op, types->front().dtype, types->front().shape, operands, attrs);
}

const Node* ResultOf(Graph& graph, const Node* control, int64_t index) {
  if (index == 0) return control;
  const absl::StatusOr<std::vector<NodeType>> types =
      ResultTypes(control->op, control->operands, control->attrs, graph.scalars());
  DYNACC_CHECK(types.ok() && index < static_cast<int64_t>(types->size()))
      << Info(control->op).text << " has no result " << index;
  const NodeType& type = (*types)[index];
  return graph.Make(Op::kResult, type.dtype, type.shape, {&control, 1}, {.ints = {&index, 1}});
}

int64_t NumResults(const Node& node) {
  const auto outputs = static_cast<int64_t>(node.attrs.subgraphs[0]->outputs().size());
  return node.op == Op::kLoop ? outputs + 1 : outputs;
}

}  // namespace dynacc::ir
