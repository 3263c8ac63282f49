#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "codegen/ir/attr_form.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/int_operator_attrs.h"
#include "codegen/ir/matmul_attrs.h"
#include "runtime/executor/library_call_text.h"

namespace dynacc::ir {
namespace {

constexpr size_t kMaxColumns = 100;

std::string PrintScalars(const ScalarProgram& scalars, absl::Span<const ScalarId> ids) {
  return absl::StrJoin(
      ids, ", ", [&](std::string* out, ScalarId id) { absl::StrAppend(out, scalars.Name(id)); });
}

std::string PrintViewAttrs(const ScalarProgram& scalars, const Node& node) {
  // A node that does not verify prints too: the verifier's message shows it.
  const size_t operand_rank = std::min(node.operands[0]->shape.size(), node.attrs.scalars.size());
  return absl::StrCat(" axis[", absl::StrJoin(node.attrs.ints, ", "), "] start[",
                      PrintScalars(scalars, node.attrs.scalars.subspan(0, operand_rank)), "] step[",
                      PrintScalars(scalars, node.attrs.scalars.subspan(operand_rank)), "]");
}

std::string PrintNumber(const ScalarProgram& scalars, const Node& node) {
  const Number number = NumberOf(node);
  return absl::StrCat(" ", scalars.Name(number.real), number.is_complex() ? " imag " : "",
                      number.is_complex() ? scalars.Name(number.imag) : "");
}

// " constants 1 carries 1 slices 1 length[s0] counted reverse numbers[s0] graphs 1"; of a Cond from
// the numbers on.
std::string PrintControlFlow(const ScalarProgram& scalars, const Node& node) {
  absl::Span<const ScalarId> numbers = node.attrs.scalars;
  std::string text;
  if (const auto loop = node.op == Op::kLoop ? LoopAttrsOf(node.attrs) : std::nullopt) {
    absl::StrAppend(&text, " constants ", loop->constants, " carries ", loop->carries, " slices ",
                    loop->slices);
    if (loop->length != kNoScalar) {
      absl::StrAppend(&text, " length[", scalars.Name(loop->length), "]");
      numbers.remove_prefix(1);
    }
    absl::StrAppend(&text, loop->counted ? " counted" : "", loop->reverse ? " reverse" : "");
  }
  if (!numbers.empty()) absl::StrAppend(&text, " numbers[", PrintScalars(scalars, numbers), "]");
  return absl::StrCat(text, " graphs ", node.attrs.subgraphs.size());
}

std::string PrintAttrs(const ScalarProgram& scalars, const Node& node) {
  const AttrForm form = AttrFormOf(node.op);
  if (form == AttrForm::kBranches || form == AttrForm::kLoop)
    return PrintControlFlow(scalars, node);
  if (form == AttrForm::kIndex) return absl::StrCat(" ", node.attrs.ints[0]);
  if (form == AttrForm::kDefines) {
    const bool defines = !node.attrs.scalars.empty();
    return defines ? absl::StrCat(" defines ", scalars.Name(node.attrs.scalars[0])) : "";
  }
  if (form == AttrForm::kAxis) {
    return absl::StrCat(" axis[", absl::StrJoin(node.attrs.ints, ", "), "]");
  }
  if (form == AttrForm::kOperator) return absl::StrCat(" ", IntOperationText(node));
  if (form == AttrForm::kPlaces) {
    return absl::StrCat(" ",
                        node.op == Op::kGather ? PlacesText(node) : ScatterText(scalars, node));
  }
  if (form == AttrForm::kNumber) return PrintNumber(scalars, node);
  if (form == AttrForm::kView) return PrintViewAttrs(scalars, node);
  if (form == AttrForm::kShifts) {
    return absl::StrCat(" shift[", PrintScalars(scalars, node.attrs.scalars), "]");
  }
  if (form == AttrForm::kApart) {
    return absl::StrCat(MatmulHas(&node, kMatmulApart) ? " apart" : "",
                        MatmulHas(&node, kMatmulAnyOrder) ? " any_order" : "",
                        MatmulHas(&node, kMatmulLowPrecision) ? " low_precision" : "",
                        MatmulHas(&node, kMatmulWindows) ? " windows" : "");
  }
  if (form == AttrForm::kNothing) return "";
  return absl::StrCat(" axes[", absl::StrJoin(node.attrs.ints, ", "), "]",
                      node.attrs.keepdims ? " keepdims" : "",
                      node.attrs.order > 0 ? absl::StrCat(" order ", node.attrs.order) : "");
}

std::string PrintNames(absl::Span<const Node* const> nodes) {
  return absl::StrJoin(
      nodes, ", ", [](std::string* out, const Node* node) { absl::StrAppend(out, "%", node->id); });
}

std::string PrintOutputs(const Graph& graph) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Node* const target = graph.targets()[i];
    texts.push_back(absl::StrCat("%", graph.outputs()[i]->id,
                                 target == nullptr ? "" : absl::StrCat(" -> %", target->id)));
  }
  return absl::StrJoin(texts, ", ");
}

std::string PrintDefinition(const ScalarProgram& scalars, ScalarId id) {
  const ScalarExpr& e = scalars.expr(id);
  if (e.op == ScalarOp::kInput) {
    return absl::StrCat(scalars.Name(id), " = input ", ScalarTypeName(e.type));
  }
  if (e.op == ScalarOp::kDataDependent) return absl::StrCat(scalars.Name(id), " = late");
  return absl::StrCat(scalars.Name(id), " = ", scalars.Definition(id));
}

// The "scalars:" lines, as many as the width of the page asks for.
std::string PrintScalarLines(const ScalarProgram& scalars) {
  std::string lines;
  std::string line;
  for (ScalarId id = 0; id < scalars.size(); ++id) {
    if (scalars.expr(id).op == ScalarOp::kConst) continue;
    const std::string definition = PrintDefinition(scalars, id);
    if (!line.empty() && line.size() + definition.size() + 2 > kMaxColumns) {
      absl::StrAppend(&lines, line, "\n");
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "  scalars: " : ", ", definition);
  }
  if (!line.empty()) absl::StrAppend(&lines, line, "\n");
  return lines;
}

// The text with the operands' names in it. `in_order`: it names each operand once, in order.
std::string WithOperands(absl::string_view text, absl::Span<const Node* const> operands,
                         bool& in_order) {
  std::string out;
  size_t next = 0;
  in_order = true;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '%') continue;
    size_t index = 0;
    while (i + 1 < text.size() && absl::ascii_isdigit(text[i + 1])) {
      index = 10 * index + static_cast<size_t>(text[++i] - '0');
    }
    in_order = in_order && index == next++;
    if (index < operands.size()) absl::StrAppend(&out, operands[index]->id);
  }
  in_order = in_order && next == operands.size();
  return out;
}

std::string PrintLibraryCall(const ScalarProgram& scalars, const Node& node) {
  const std::string attrs =  // " 3 defines s2"
      absl::StrCat(" ", node.attrs.call, PrintAttrs(scalars, node));
  const std::optional<std::string> text = executor::FindCallText(node.attrs.call);
  const std::string names = PrintNames(node.operands);
  if (!text) return absl::StrCat("library_call", attrs, names.empty() ? "" : " ", names);
  bool in_order;
  const std::string call = WithOperands(*text, node.operands, in_order);
  return absl::StrCat(call, " call", attrs, in_order ? "" : " of ", in_order ? "" : names);
}

}  // namespace

std::string PrintType(const ScalarProgram& scalars, DType dtype, absl::Span<const ScalarId> shape) {
  return absl::StrCat(Info(dtype).text, "[", PrintScalars(scalars, shape), "]");
}

std::string PrintCall(const Node& node) {
  bool in_order;
  if (node.op == Op::kLibraryCall) {
    const std::optional<std::string> text = executor::FindCallText(node.attrs.call);
    if (text) return WithOperands(*text, node.operands, in_order);
  }
  return absl::StrCat(Info(node.op).text, "(", PrintNames(node.operands), ")");
}

std::string PrintNode(const Graph& graph, const Node& node) {
  return PrintNode(graph.scalars(), node);
}

std::string PrintNode(const ScalarProgram& scalars, const Node& node) {
  return absl::StrCat(
      "%", node.id, ": ", PrintType(scalars, node.dtype, node.shape), " = ",
      node.op == Op::kLibraryCall
          ? PrintLibraryCall(scalars, node)
          : absl::StrCat(Info(node.op).text, node.operands.empty() ? "" : " ",
                         PrintNames(node.operands), PrintAttrs(scalars, node),
                         MakesCall(node) ? absl::StrCat(" call ", node.attrs.call) : ""));
}

std::string PrintGraph(const Graph& graph) {
  std::string text = absl::StrCat("graph {\n", PrintScalarLines(graph.scalars()));
  for (const Node* node : graph.nodes()) {
    absl::StrAppend(&text, "  ", PrintNode(graph, *node));
    if (node->location.line > 0) {
      absl::StrAppend(&text, "    # ", node->location.file, ":", node->location.line);
    }
    text += '\n';
    for (const Graph* subgraph : node->attrs.subgraphs) {
      const std::string lines = PrintGraph(*subgraph);
      absl::StrAppend(&text, "    ",
                      absl::StrReplaceAll(absl::StripSuffix(lines, "\n"), {{"\n", "\n    "}}),
                      "\n");
    }
  }
  if (!graph.conditions().empty()) {
    absl::StrAppend(&text, "  requires ", PrintScalars(graph.scalars(), graph.conditions()), "\n");
  }
  absl::StrAppend(&text, "  return ", PrintOutputs(graph));
  if (graph.outputs().empty()) text.pop_back();
  return text + "\n}\n";
}

}  // namespace dynacc::ir
