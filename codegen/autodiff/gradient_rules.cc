#include "codegen/autodiff/gradient_rules.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "codegen/autodiff/view_adjoint.h"
#include "codegen/ir/rows_of_ops.h"
#include "runtime/ops/registered_ops.h"

namespace dynacc::autodiff {
namespace {

using UnaryRule = Value (*)(Value g, Value x, Value y);
using BinaryRule = BinaryCotangents (*)(Value g, Value a, Value b, Value y);

template <UnaryRule rule>
absl::Status PullUnary(Pullback& pullback) {
  ir::Graph& graph = pullback.graph;
  const Value g(graph, pullback.cotangent);
  pullback.Give(0, rule(g, pullback.operand(0), Value(graph, &pullback.node)));
  return absl::OkStatus();
}

template <BinaryRule rule>
absl::Status PullBinary(Pullback& pullback) {
  ir::Graph& graph = pullback.graph;
  const Value g(graph, pullback.cotangent);
  const auto [a, b] =
      rule(g, pullback.operand(0), pullback.operand(1), Value(graph, &pullback.node));
  pullback.Give(0, a);
  pullback.Give(1, b);
  return absl::OkStatus();
}

#define DYNACC_PULL_kUnary(name) PullUnary<name##Gradient>
#define DYNACC_PULL_kBinary(name) PullBinary<name##Gradient>
#define DYNACC_PULL_kStructural(name) name##Gradient
#define DYNACC_PULL_kZero(name) nullptr
#define DYNACC_PULL_kNone(name) nullptr
#define DYNACC_GRADIENT(name, kind, words) \
  {Op::k##name, GradientKind::kind, DYNACC_PULL_##kind(name), words},
constexpr GradientRow kRows[] = {
#include "codegen/autodiff/gradients.def"
};
#undef DYNACC_GRADIENT

struct SpecialRow {
  absl::string_view text;
  const char* other;
  GradientRow row;  // `op` is registered at run time: none
};
#define DYNACC_SPECIAL_GRADIENT(name, text, other, kind, words) \
  {"scipy.special." text,                                       \
   other,                                                       \
   {Op::kLibraryCall, GradientKind::kind, DYNACC_PULL_##kind(Special##name), words}},
constexpr SpecialRow kSpecialRows[] = {
#include "codegen/autodiff/special_gradients.def"
};
#undef DYNACC_SPECIAL_GRADIENT

const GradientRow& RegisteredGradientOf(Op op) {
  static constexpr GradientRow kNone = {Op::kLibraryCall, GradientKind::kNone, nullptr,
                                        "an operator whose declaration has no gradient"};
  const absl::string_view text = Info(op).text;
  for (const SpecialRow& special : kSpecialRows) {
    if (special.text == text) return special.row;
  }
  return kNone;
}

static_assert(ir::HasARowOfEachOp(kRows),
              "gradients.def needs one row an op, in the order of ops.def");

}  // namespace

const GradientRow& GradientOf(Op op) {
  return IsRegistered(op) ? RegisteredGradientOf(op) : kRows[static_cast<int>(op)];
}

const char* OtherSpecialOf(absl::string_view name) {
  for (const SpecialRow& special : kSpecialRows) {
    if (absl::EndsWith(special.text, absl::StrCat(".", name))) return special.other;
  }
  return "";
}

const ir::Node* OperandRead(const ir::Node& node, size_t index) {
  const ir::Node* operand = node.operands[index];
  const auto is_same_part = [&node](const ir::Node& other) {
    return other.op == Op::kStore && other.operands[1]->shape == node.operands[1]->shape &&
           absl::c_equal(other.attrs.ints, node.attrs.ints) &&
           absl::c_equal(other.attrs.scalars, node.attrs.scalars);
  };
  if (node.op != Op::kStore || index != 0) return operand;
  while (is_same_part(*operand)) operand = operand->operands[0];
  return operand;
}

const ir::Node* Pullback::CotangentOfResult(int64_t index) const {
  if (index == 0) return cotangent;
  for (size_t id = static_cast<size_t>(node.id) + 1; id < cotangents_.size(); ++id) {
    const ir::Node& result = *graph.nodes()[id];
    const bool is_it =
        result.op == Op::kResult && result.operands[0] == &node && result.attrs.ints[0] == index;
    if (is_it) return cotangents_[id];
  }
  return nullptr;
}

void Pullback::Give(size_t operand, Value part) { GiveTo(*node.operands[operand], part); }

void Pullback::GiveTo(const ir::Node& earlier, Value part) {
  if (!part || !IsActive(earlier)) return;
  const ir::Node*& sum = cotangents_[earlier.id];
  sum = sum == nullptr ? part.node() : AddCotangents(graph, sum, part.node());
}

}  // namespace dynacc::autodiff
