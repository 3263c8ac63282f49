#include "codegen/schedule/schedule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/graph_text.h"
#include "codegen/schedule/fusion_state.h"
#include "codegen/schedule/rules.h"
#include "runtime/base/name_list.h"

namespace dynacc::schedule {
namespace {

struct FusionRule {
  void (*run)(FusionState&);
  const char* name;
};

constexpr FusionRule kRules[] = {
#define DYNACC_FUSION_RULE(function, name, doc) {function, name},
#include "codegen/schedule/rules.def"
#undef DYNACC_FUSION_RULE
};

constexpr const char* kKindNames[] = {"elementwise", "reduction",    "reshape",
                                      "matmul",      "library_call", "store"};

std::string OperandText(const ir::Node* operand) { return absl::StrCat("%", operand->id); }

// " -> output 0", " stored" or "".
std::string StorageText(const ir::Graph& graph, const Group& group, const ir::Node* node) {
  const int output = FreshOutputOf(graph, node);
  if (output >= 0 && node->op != Op::kReshape) return absl::StrCat(" -> output ", output);
  const bool stored =
      std::find(group.outputs.begin(), group.outputs.end(), node) != group.outputs.end();
  return stored ? " stored" : "";
}

}  // namespace

Schedule MakeSchedule(const ir::Graph& graph, absl::string_view disabled,
                      const MatmulPolicy& products, const extensions::Extensions& extensions) {
  const std::vector<std::string> off = NamesIn(disabled);
  FusionState state(graph, products, extensions::Enabled(extensions, disabled));
  for (const FusionRule& rule : kRules) {
    if (std::find(off.begin(), off.end(), rule.name) == off.end()) rule.run(state);
  }
  return state.Finish();
}

bool IsKernelNode(const ir::Node* node) {
  return IsElementwise(node->op) || node->op == Op::kCast || node->op == Op::kWhere;
}

bool MayRaiseFlags(const ir::Node* node) {
  if (ir::HasSubgraphs(*node)) return ir::MayRaise(*node);
  if (node->operands.empty()) return false;
  const DType dtype = node->operands[0]->dtype;
  if (!RaisesFlags(node->op, dtype)) return false;
  if (IsInexact(node->dtype)) return true;
  // Integer division by zero is reported through the same flags by the library's loops.
  const bool library_only = (Info(node->op).traits & (kEmitted | kEmittedInt)) == 0;
  return IsInexact(dtype) || (IsElementwise(node->op) && library_only);
}

std::optional<uint32_t> ReportedErrors(const ir::Graph& graph, const Group& group) {
  std::optional<uint32_t> reported;
  for (const ir::Node* node : group.nodes) {
    if (MayRaiseFlags(node)) reported = reported.value_or(0) | graph.ReportedBy(node);
  }
  return reported;
}

int FreshOutputOf(const ir::Graph& graph, const ir::Node* node) {
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    if (graph.outputs()[i] == node && graph.targets()[i] == nullptr) return static_cast<int>(i);
  }
  return -1;
}

bool IsOnlySeenThrough(const ir::Node* node) {
  return node->op == Op::kView || node->op == Op::kRoll;
}

const ir::Node* BaseOf(const ir::Node* node) {
  while (IsOnlySeenThrough(node)) node = node->operands[0];
  return node;
}

bool IsOneNumber(const ir::Node* node) {
  const Op op = BaseOf(node)->op;
  return op == Op::kScalar || op == Op::kFull || op == Op::kEmpty;
}

std::vector<const ir::Node*> ExternalOperands(const Group& group) {
  std::vector<const ir::Node*> result;
  for (const ir::Node* node : group.nodes) {
    if (!IsKernelNode(node)) continue;
    for (const ir::Node* operand : node->operands) {
      const bool inside =
          std::find(group.nodes.begin(), group.nodes.end(), operand) != group.nodes.end();
      if (inside || std::find(result.begin(), result.end(), operand) != result.end()) continue;
      result.push_back(operand);
    }
  }
  return result;
}

absl::Span<const ScalarId> IterationShape(const Group& group) {
  return group.kind == GroupKind::kReduction ? group.root()->operands[0]->shape
                                             : group.root()->shape;
}

const char* GroupKindName(GroupKind kind) { return kKindNames[static_cast<int>(kind)]; }

std::string ScheduleText(const ir::Graph& graph, const Schedule& schedule) {
  std::string text;
  int number = 0;
  for (const Group& group : schedule.groups) {
    absl::StrAppend(&text, "group ", number++, " ", kKindNames[static_cast<int>(group.kind)],
                    group.by_library ? " by library\n" : "\n");
    for (const ir::Node* node : group.nodes) {
      absl::StrAppend(&text, "  ", OperandText(node), " = ", ir::PrintCall(*node),
                      StorageText(graph, group, node), "\n");
    }
  }
  for (const RowBlock& block : schedule.row_blocks) {
    absl::StrAppend(&text, "groups ", block.first, " to ", block.last, " by rows of ", block.axes,
                    block.axes == 1 ? " axis\n" : " axes\n");
  }
  for (const OutputCopy& copy : schedule.copies) {
    absl::StrAppend(&text, "copy ", OperandText(copy.node), " -> output ", copy.output, "\n");
  }
  for (const WriteBack& part : schedule.write_backs) {
    absl::StrAppend(&text, "write ", OperandText(part.value), " -> ", OperandText(part.target),
                    part.store == nullptr ? "" : " as by ",
                    part.store == nullptr ? "" : OperandText(part.store), "\n");
  }
  for (const std::string& note : schedule.notes) absl::StrAppend(&text, "note: ", note, "\n");
  return text;
}

}  // namespace dynacc::schedule
