#include "codegen/ir/verifier.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/attr_form.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/int_operator_attrs.h"
#include "codegen/ir/node_rules.h"
#include "runtime/base/status_macros.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::ir {
namespace {

using absl::OkStatus;

absl::Status Broken(absl::string_view rule) { return absl::InternalError(rule); }

std::optional<int64_t> Constant(const ScalarProgram& scalars, ScalarId id) {
  int64_t value;
  if (!scalars.IsIntConst(id, &value)) return std::nullopt;
  return value;
}

absl::Status CheckIsInt(const ScalarProgram& scalars, ScalarId id, absl::string_view what) {
  if (id < 0 || id >= scalars.size()) return Broken(absl::StrCat(what, " is no scalar"));
  if (scalars.expr(id).type == ScalarType::kInt) return OkStatus();
  return Broken(absl::StrCat(what, " '", scalars.Name(id), "' is not an int"));
}

absl::Status CheckShape(const ScalarProgram& scalars, const Node& node) {
  if (node.rank() > kMaxRank) return Broken(absl::StrCat("the rank exceeds ", kMaxRank));
  for (const ScalarId size : node.shape) {
    DYNACC_RETURN_IF_ERROR(CheckIsInt(scalars, size, "the size"));
    if (Constant(scalars, size).value_or(0) < 0) return Broken("a size is negative");
  }
  return OkStatus();
}

absl::Status CheckOperands(const Graph& graph, const Node& node) {
  for (const Node* operand : node.operands) {
    if (operand->id < 0 || operand->id >= node.id || graph.nodes()[operand->id] != operand) {
      return Broken("an operand is not an earlier node of the graph");
    }
  }
  if (node.operands.empty() && (node.op == Op::kConcat || node.op == Op::kUpdate ||
                                node.op == Op::kGather || node.op == Op::kScatter)) {
    return Broken("takes some operands");
  }
  const int arity = ArityOf(node.op);
  if (arity < 0 || arity == static_cast<int>(node.operands.size())) return OkStatus();
  return Broken(absl::StrCat("takes ", arity, " operands"));
}

// How many attributes each form has; -1: checked by the op's own rule.
absl::Status CheckAttrCounts(const Node& node) {
  struct Counts {
    int ints;
    int scalars;
    bool keepdims;
  };
  static constexpr Counts kCounts[] = {
      {0, 0, false},    // kNothing
      {1, 0, false},    // kIndex
      {0, -1, false},   // kNumber
      {-1, -1, false},  // kView
      {0, -1, false},   // kShifts
      {-1, 0, true},    // kAxes
      {1, 0, false},    // kAxis
      {-1, -1, false},  // kPlaces
      {0, -1, false},   // kDefines
      {-1, 0, false},   // kOperator
      {0, -1, false},   // kBranches
      {-1, -1, false},  // kLoop
      {-1, 0, false},   // kApart
  };
  const Counts& counts = kCounts[static_cast<int>(AttrFormOf(node.op))];
  const auto fits = [](int count, size_t size) { return count < 0 || size_t(count) == size; };
  if (!fits(counts.ints, node.attrs.ints.size())) return Broken("wrong number of int attributes");
  if (!fits(counts.scalars, node.attrs.scalars.size())) {
    return Broken("wrong number of scalar attributes");
  }
  if (node.attrs.keepdims && !counts.keepdims) return Broken("keepdims on another op");
  const bool has_order = Info(node.op).category == OpCategory::kReduction || node.op == Op::kMean;
  if (node.attrs.order < 0 || (node.attrs.order > 0 && !has_order)) {
    return Broken("a memory order of another op");
  }
  const bool may_call = Info(node.op).category == OpCategory::kLibraryCall;
  if (MakesCall(node) && !(may_call && node.op != Op::kMatmul))
    return Broken("a call of another op");
  return node.attrs.call < kNoCall ? Broken("no call has that id") : OkStatus();
}

absl::Status CheckSameShape(const Node& node) {
  for (const Node* operand : node.operands) {
    if (operand->shape != node.shape) {
      return Broken(absl::StrCat("the shape of operand %", operand->id, " differs"));
    }
  }
  return OkStatus();
}

absl::Status CheckElementwise(const Graph&, const Node& node) {
  for (const Node* operand : node.operands) {
    if (operand->dtype != node.operands[0]->dtype) return Broken("the operands' dtypes differ");
  }
  return CheckSameShape(node);
}

absl::Status CheckUpdate(const Graph& graph, const Node& node) {
  if (node.operands.size() < 2 || node.operands.size() > 4) {
    return Broken("an update takes elements and one to three operands");
  }
  return CheckElementwise(graph, node);
}

absl::Status CheckCustomGradient(const Graph&, const Node& node) {
  const auto operands = node.operands;
  if (operands.size() < 2 || operands.size() % 2 != 0) {
    return Broken("takes a value, its cotangent, and pairs of operand and gradient");
  }
  if (operands[1]->op != Op::kCotangent || operands[1]->operands[0] != operands[0]) {
    return Broken("the second operand is not the first one's cotangent");
  }
  if (operands[0]->shape != node.shape) return Broken("the shape is not the value's");
  for (size_t i = 2; i < operands.size(); i += 2) {
    const bool fits = operands[i]->dtype == operands[i + 1]->dtype &&
                      operands[i]->shape == operands[i + 1]->shape;
    if (!fits) return Broken("a gradient has another dtype or shape than its operand");
  }
  return OkStatus();
}

absl::Status CheckInput(const Graph& graph, const Node& node) {
  const int64_t index = node.attrs.ints[0];
  const bool listed = index >= 0 && index < static_cast<int64_t>(graph.inputs().size()) &&
                      graph.inputs()[index] == &node;
  return listed ? OkStatus() : Broken("its index is not its position among the inputs");
}

absl::Status CheckNumber(const Graph& graph, const Node& node) {
  const size_t parts = node.attrs.scalars.size();
  if (parts != 1 && parts != 2) return Broken("wrong number of scalar attributes");
  if (parts == 2 && !IsComplex(node.dtype)) return Broken("a complex number as a real dtype");
  for (const ScalarId id : node.attrs.scalars) {
    if (id < 0 || id >= graph.scalars().size()) return Broken("its number is no scalar");
  }
  if (node.op == Op::kScalar && node.rank() != 0) return Broken("a scalar has rank 0");
  return OkStatus();
}

absl::Status CheckCast(const Graph&, const Node& node) { return CheckSameShape(node); }

absl::Status CheckWhere(const Graph&, const Node& node) {
  if (node.operands[0]->dtype != DType::kBool) return Broken("the condition is not bool");
  if (node.operands[1]->dtype != node.operands[2]->dtype)
    return Broken("the values' dtypes differ");
  return CheckSameShape(node);
}

// The first and last element along axis `s` of the operand that axes of `shape` look at, if
// everything about it is constant.
absl::Status CheckViewBounds(const ScalarProgram& scalars, const Node& node,
                             absl::Span<const ScalarId> shape, int64_t s) {
  const Node& operand = *node.operands[0];
  const std::optional<int64_t> size = Constant(scalars, operand.shape[s]);
  const std::optional<int64_t> start = Constant(scalars, node.attrs.scalars[s]);
  if (!size || !start) return OkStatus();
  int64_t lowest = *start;
  int64_t highest = *start;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::optional<int64_t> count = Constant(scalars, shape[d]);
    if (!count || *count == 0) return OkStatus();
    if (node.attrs.ints[d] != s) continue;
    const std::optional<int64_t> step = Constant(scalars, node.attrs.scalars[operand.rank() + d]);
    int64_t extent;
    if (!step) return OkStatus();
    if (__builtin_mul_overflow(*step, *count - 1, &extent) ||
        __builtin_add_overflow(extent < 0 ? lowest : highest, extent,
                               extent < 0 ? &lowest : &highest)) {
      return Broken("a step overflows");
    }
  }
  if (lowest >= 0 && highest < *size) return OkStatus();
  return Broken(absl::StrCat("reads outside of operand axis ", s));
}

// A View's attributes, with `shape` as the output's.
absl::Status CheckViewAttrs(const Graph& graph, const Node& node,
                            absl::Span<const ScalarId> shape) {
  const Node& operand = *node.operands[0];
  if (node.attrs.ints.size() != shape.size()) {
    return Broken("axis needs one entry for each output axis");
  }
  if (node.attrs.scalars.size() != operand.shape.size() + shape.size()) {
    return Broken("start and step need one scalar for each operand and output axis");
  }
  for (const ScalarId id : node.attrs.scalars) {
    DYNACC_RETURN_IF_ERROR(CheckIsInt(graph.scalars(), id, "the start or step"));
  }
  for (const int64_t axis : node.attrs.ints) {
    if (axis < -1 || axis >= operand.rank()) {
      return Broken(absl::StrCat("the operand has no axis ", axis));
    }
  }
  for (int64_t s = 0; s < operand.rank(); ++s) {
    DYNACC_RETURN_IF_ERROR(CheckViewBounds(graph.scalars(), node, shape, s));
  }
  return OkStatus();
}

absl::Status CheckView(const Graph& graph, const Node& node) {
  return CheckViewAttrs(graph, node, node.shape);
}

absl::Status CheckStore(const Graph& graph, const Node& node) {
  const Node& base = *node.operands[0];
  const Node& value = *node.operands[1];
  if (base.dtype != value.dtype) return Broken("the operands' dtypes differ");
  if (base.shape != node.shape) return Broken("the shape is not the base's");
  DYNACC_RETURN_IF_ERROR(CheckViewAttrs(graph, node, value.shape));
  uint64_t seen = 0;
  for (size_t d = 0; d < value.shape.size(); ++d) {
    const int64_t axis = node.attrs.ints[d];
    const bool twice = axis < 0 ? Constant(graph.scalars(), value.shape[d]).value_or(2) > 1
                                : (seen >> axis & 1) != 0;
    if (twice) return Broken("an element is stored twice");
    if (axis >= 0) seen |= uint64_t{1} << axis;
  }
  return OkStatus();
}

absl::Status CheckRoll(const Graph& graph, const Node& node) {
  if (node.attrs.scalars.size() != node.shape.size()) return Broken("not one shift for each axis");
  for (size_t d = 0; d < node.shape.size(); ++d) {
    const std::optional<int64_t> shift = Constant(graph.scalars(), node.attrs.scalars[d]);
    const std::optional<int64_t> size = Constant(graph.scalars(), node.shape[d]);
    if (shift && (*shift < 0 || (*shift > 0 && size && *shift >= *size))) {
      return Broken("a shift is not below the size");
    }
  }
  return CheckSameShape(node);
}

absl::Status CheckConcat(const Graph& graph, const Node& node) {
  if (node.attrs.ints.size() != 1 || node.attrs.ints[0] < 0 || node.attrs.ints[0] >= node.rank()) {
    return Broken("the axis is none of the result's");
  }
  std::optional<int64_t> sum = 0;
  for (const Node* part : node.operands) {
    if (part->dtype != node.dtype) return Broken("the operands' dtypes differ");
    if (part->rank() != node.rank()) return Broken("the operands' ranks differ");
    for (int d = 0; d < node.rank(); ++d) {
      const auto have = Constant(graph.scalars(), part->shape[d]);
      const auto want = Constant(graph.scalars(), node.shape[d]);
      if (d != node.attrs.ints[0] && have && want && *have != *want) {
        return Broken(absl::StrCat("the shape of operand %", part->id, " differs"));
      }
    }
    const auto size = Constant(graph.scalars(), part->shape[node.attrs.ints[0]]);
    sum = sum && size ? std::optional<int64_t>(*sum + *size) : std::nullopt;
  }
  const auto size = Constant(graph.scalars(), node.shape[node.attrs.ints[0]]);
  return sum && size && *sum != *size ? Broken("the parts are not as long as the whole")
                                      : OkStatus();
}

// The number of elements, if every size is constant and the product fits.
std::optional<int64_t> ConstantCount(const ScalarProgram& scalars,
                                     absl::Span<const ScalarId> shape) {
  int64_t count = 1;
  for (const ScalarId id : shape) {
    const std::optional<int64_t> size = Constant(scalars, id);
    if (!size || __builtin_mul_overflow(count, *size, &count)) return std::nullopt;
  }
  return count;
}

absl::Status CheckReshape(const Graph& graph, const Node& node) {
  const auto before = ConstantCount(graph.scalars(), node.operands[0]->shape);
  const auto after = ConstantCount(graph.scalars(), node.shape);
  const bool differ = before && after && *before != *after;
  return differ ? Broken("the number of elements changes") : OkStatus();
}

// Whether two sizes may be equal at run time.
bool MayAgree(const ScalarProgram& scalars, ScalarId a, ScalarId b) {
  return a == b || !Constant(scalars, a) || !Constant(scalars, b);
}

absl::Status CheckReduction(const Graph& graph, const Node& node) {
  const Node& operand = *node.operands[0];
  if (!AreReductionAxes(node.attrs.ints, operand.rank())) {
    return Broken("the axes are not ascending axes of the operand");
  }
  // kNoScalar stands for the size 1 of a kept axis, whose id this cannot ask for.
  const ShapeVector expected =
      ReducedShape(operand.shape, node.attrs.ints, node.attrs.keepdims, kNoScalar);
  const bool same =
      std::equal(expected.begin(), expected.end(), node.shape.begin(), node.shape.end(),
                 [&](ScalarId want, ScalarId have) {
                   return want == kNoScalar ? Constant(graph.scalars(), have) == 1 : want == have;
                 });
  return same ? OkStatus() : Broken("the shape is not the operand's without the axes");
}

// As CheckReduction, of nodes whose sizes a trace may know by other names than the operand's.
absl::Status CheckAxesShape(const Graph& graph, const Node& node) {
  const ShapeVector expected =
      ReducedShape(node.operands[0]->shape, node.attrs.ints, node.attrs.keepdims, kNoScalar);
  const auto agree = [&](ScalarId want, ScalarId have) {
    return want == kNoScalar ? Constant(graph.scalars(), have).value_or(1) == 1
                             : MayAgree(graph.scalars(), want, have);
  };
  return absl::c_equal(expected, node.shape, agree)
             ? OkStatus()
             : Broken("the shape is not the operand's without the axes");
}

absl::Status CheckScan(const Graph&, const Node& node) {
  if (node.attrs.ints[0] < 0 || node.attrs.ints[0] >= node.rank()) {
    return Broken("the axis is none of the result's");
  }
  return CheckSameShape(node);
}

absl::Status CheckArgExtreme(const Graph& graph, const Node& node) {
  if (!AreSearchAxes(node.attrs.ints, node.operands[0]->rank())) {
    return Broken("the axes are neither one nor all of the operand's");
  }
  return CheckAxesShape(graph, node);
}

absl::Status CheckMean(const Graph& graph, const Node& node) {
  if (!IsInexact(node.dtype)) return Broken("a mean is of an inexact dtype");
  if (!AreReductionAxes(node.attrs.ints, node.operands[0]->rank())) {
    return Broken("the axes are not ascending axes of the operand");
  }
  return CheckAxesShape(graph, node);
}

absl::Status CheckMatmul(const Graph& graph, const Node& node) {
  const Node& a = *node.operands[0];
  const Node& b = *node.operands[1];
  if (a.dtype != b.dtype) return Broken("the operands' dtypes differ");
  if (a.rank() == 0 || b.rank() == 0) return Broken("an operand has rank 0");
  const ScalarId inner = b.shape[b.rank() == 1 ? 0 : b.rank() - 2];
  if (!MayAgree(graph.scalars(), a.shape.back(), inner)) return Broken("the inner sizes differ");
  const int batch = std::max({a.rank() - 2, b.rank() - 2, 0});
  const int expected = batch + (a.rank() > 1 ? 1 : 0) + (b.rank() > 1 ? 1 : 0);
  if (node.rank() != expected) return Broken(absl::StrCat("the rank should be ", expected));
  if (a.rank() > 1 && node.shape[batch] != a.shape[a.rank() - 2]) {
    return Broken("the number of rows is not the first operand's");
  }
  if (b.rank() > 1 && node.shape.back() != b.shape.back()) {
    return Broken("the number of columns is not the second operand's");
  }
  for (int i = 0; i < batch; ++i) {  // axes of the batch, aligned at the end
    for (const Node* operand : node.operands) {
      const int d = i - (batch - std::max(operand->rank() - 2, 0));
      if (d < 0 || Constant(graph.scalars(), operand->shape[d]) == 1) continue;
      if (!MayAgree(graph.scalars(), operand->shape[d], node.shape[i])) {
        return Broken("the batch axes do not broadcast");
      }
    }
  }
  return OkStatus();
}

absl::Status CheckDefines(const Graph& graph, const Node& node) {
  const absl::Span<const ScalarId> defined = node.attrs.scalars;
  if (defined.empty()) return OkStatus();
  if (defined.size() > 1) return Broken("wrong number of scalar attributes");
  if (graph.scalars().expr(defined[0]).op != ScalarOp::kDataDependent)
    return Broken("defines no data-dependent number");
  return absl::c_linear_search(node.shape, defined[0]) ? OkStatus()
                                                       : Broken("defines no size of its own");
}

absl::Status CheckLibraryCall(const Graph& graph, const Node& node) {
  if (!MakesCall(node)) return Broken("a library call without its id");
  return CheckDefines(graph, node);
}

absl::Status CheckCompress(const Graph& graph, const Node& node) {
  const Node& source = *node.operands[0];
  const Node& mask = *node.operands[1];
  if (mask.dtype != DType::kBool) return Broken("the mask is not bool");
  const int rows = mask.rank();
  if (rows < 1 || rows > source.rank()) return Broken("the mask's rank is not that of first axes");
  if (node.rank() != 1 + source.rank() - rows) return Broken("not the rank of rows");
  for (int d = 0; d < source.rank(); ++d) {
    const ScalarId other = d < rows ? mask.shape[d] : node.shape[1 + d - rows];
    if (!MayAgree(graph.scalars(), source.shape[d], other)) return Broken("the shapes differ");
  }
  if (!node.attrs.scalars.empty() && node.attrs.scalars[0] != node.shape[0]) {
    return Broken("defines another number than the first size");
  }
  return CheckDefines(graph, node);
}

// Whether the node may be result `index` of `control`, a Cond or Loop.
absl::Status CheckIsResult(const Graph& graph, const Node& control, const Node& node,
                           int64_t index) {
  ScalarProgram scalars = graph.scalars();
  const auto types = ResultTypes(control.op, control.operands, control.attrs, scalars);
  if (!types.ok()) return Broken(types.status().message());
  if (index >= static_cast<int64_t>(types->size())) return Broken("there is no such result");
  const NodeType& type = (*types)[index];
  bool fits = type.dtype == node.dtype && type.shape.size() == node.shape.size();
  for (size_t d = 0; fits && d < node.shape.size(); ++d) {
    fits = MayAgree(scalars, type.shape[d], node.shape[d]);
  }
  return fits ? OkStatus()
              : Broken(absl::StrCat("the result is ", PrintType(scalars, type.dtype, type.shape)));
}

absl::Status CheckControlFlow(const Graph& graph, const Node& node) {
  for (const Graph* subgraph : node.attrs.subgraphs) {
    DYNACC_RETURN_IF_ERROR(VerifyGraph(*subgraph));
  }
  return CheckIsResult(graph, node, node, 0);
}

absl::Status CheckResult(const Graph& graph, const Node& node) {
  const Node& control = *node.operands[0];
  if (!HasSubgraphs(control)) return Broken("the operand has one result alone");
  if (node.attrs.ints[0] < 1) return Broken("results count from 1");
  return CheckIsResult(graph, control, node, node.attrs.ints[0]);
}

using Rule = absl::Status (*)(const Graph& graph, const Node& node);

// The rule of an op: its own row, or its category's.
Rule RuleOf(Op op) {
  struct OwnRule {
    Op op;
    Rule rule;
  };
  static constexpr OwnRule kOwnRules[] = {
      {Op::kInput, CheckInput},
      {Op::kScalar, CheckNumber},
      {Op::kFull, CheckNumber},
      {Op::kView, CheckView},
      {Op::kReshape, CheckReshape},
      {Op::kCast, CheckCast},
      {Op::kKeepOrder, CheckCast},
      {Op::kCOrder, CheckCast},
      {Op::kUpdate, CheckUpdate},
      {Op::kCustomGradient, CheckCustomGradient},
      {Op::kWhere, CheckWhere},
      {Op::kMatmul, CheckMatmul},
      {Op::kLibraryCall, CheckLibraryCall},
      {Op::kStore, CheckStore},
      {Op::kEmpty, CheckNumber},
      {Op::kRoll, CheckRoll},
      {Op::kConcat, CheckConcat},
      {Op::kCumsum, CheckScan},
      {Op::kCumprod, CheckScan},
      {Op::kArgMax, CheckArgExtreme},
      {Op::kArgMin, CheckArgExtreme},
      {Op::kMean, CheckMean},
      {Op::kGather, CheckGather},
      {Op::kScatter, CheckScatter},
      {Op::kCompress, CheckCompress},
      {Op::kIntOperator, CheckIntOperator},
      {Op::kCond, CheckControlFlow},
      {Op::kLoop, CheckControlFlow},
      {Op::kResult, CheckResult},
  };
  for (const OwnRule& row : kOwnRules) {
    if (row.op == op) return row.rule;
  }
  return Info(op).category == OpCategory::kReduction ? CheckReduction : CheckElementwise;
}

absl::Status CheckNode(const Graph& graph, const Node& node, int position) {
  if (node.id != position) return Broken("its id is not its position");
  DYNACC_RETURN_IF_ERROR(CheckShape(graph.scalars(), node));
  DYNACC_RETURN_IF_ERROR(CheckOperands(graph, node));
  DYNACC_RETURN_IF_ERROR(CheckAttrCounts(node));
  if (ResultDType(node.op, node.dtype, node.operands) != node.dtype) {
    return Broken("the dtype does not follow from the operands'");
  }
  return RuleOf(node.op)(graph, node);
}

absl::Status CheckOutputs(const Graph& graph) {
  std::vector<bool> is_target(graph.nodes().size());
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Node* const output = graph.outputs()[i];
    const Node* const target = graph.targets()[i];
    for (const Node* node : {output, target == nullptr ? output : target}) {
      const bool is_ours = node->id >= 0 && node->id < static_cast<int>(graph.nodes().size()) &&
                           graph.nodes()[node->id] == node;
      if (!is_ours) return Broken("an output is not a node of the graph");
    }
    if (target == nullptr) continue;
    if (target->op != Op::kInput || target->dtype != output->dtype ||
        target->shape != output->shape) {
      return Broken("the target of an output is no input like it");
    }
    if (is_target[target->id]) return Broken("an input is the target of two outputs");
    is_target[target->id] = true;
  }
  return OkStatus();
}

// The highest level of what the node is made with.
int LevelOf(const ScalarProgram& scalars, const Node& node) {
  int level = 0;
  for (const absl::Span<const ScalarId> ids : {node.shape, node.attrs.scalars}) {
    for (const ScalarId id : ids) {
      if (id != kNoScalar) level = std::max(level, scalars.Level(id));
    }
  }
  return level;
}

// Data-dependent numbers are defined in their order, before what depends on them.
absl::Status CheckDataDependent(const Graph& graph) {
  const ScalarProgram& scalars = graph.scalars();
  int defined = 0;
  for (const Node* node : graph.nodes()) {
    const int level = LevelOf(scalars, *node);
    const bool defines = DefinedBy(*node) != kNoScalar;
    if (level > defined + (defines ? 1 : 0) || (defines && level != defined + 1)) {
      return Annotate(Broken("data-dependent numbers are used before they are defined"),
                      absl::StrCat("'", PrintNode(graph, *node), "'"));
    }
    defined += defines;
  }
  for (const ScalarId condition : graph.conditions()) {
    if (scalars.Level(condition) > defined) return Broken("a condition of what is not defined");
  }
  return OkStatus();
}

}  // namespace

absl::Status VerifyNode(const Graph& graph, const Node& node) {
  return CheckNode(graph, node, static_cast<int>(graph.nodes().size()));
}

absl::Status VerifyGraph(const Graph& graph) {
  int position = 0;
  for (const Node* node : graph.nodes()) {
    const absl::Status status = CheckNode(graph, *node, position++);
    if (!status.ok()) return Annotate(status, absl::StrCat("'", PrintNode(graph, *node), "'"));
  }
  if (graph.scalars().num_data_dependent() > 0) DYNACC_RETURN_IF_ERROR(CheckDataDependent(graph));
  return CheckOutputs(graph);
}

}  // namespace dynacc::ir
