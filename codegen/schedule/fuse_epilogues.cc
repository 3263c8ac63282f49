// A product that the library computes takes in what follows it: a bias, an activation, a residual
// (epilogue.h). Before the rules that fuse kernels, while each node is a group of its own.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/matmul_attrs.h"
#include "codegen/schedule/known_matmul_work.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

// As many nodes as an activation is written with.
constexpr size_t kMostNodes = 24;

// The nodes that follow `value` and make up one step, its last node the only one that is read by
// others; none if nothing fits.
class StepFinder {
 public:
  StepFinder(const FusionState& state, const ir::Node* value, bool exact)
      : state_(state), value_(value), exact_(exact) {}

  std::optional<EpilogueStep> Find(std::vector<const ir::Node*>& nodes) {
    if (state_.IsOutput(value_)) return std::nullopt;
    const auto users = state_.UsersOf(value_);
    if (users.empty()) return std::nullopt;
    if (users.size() == 1) {
      nodes = {users[0]};
      const auto step = MatchArrayStep(state_.graph(), value_, users[0]);
      if (step.has_value()) return step;
    }
    return FindFunction(nodes);
  }

 private:
  // The longest stretch first: a GELU starts with a product by a number.
  std::optional<EpilogueStep> FindFunction(std::vector<const ir::Node*>& nodes) {
    const std::vector<const ir::Node*> all = FunctionNodes();
    for (size_t n = all.size(); n > 0; --n) {
      nodes.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(n));
      if (!IsClosed(nodes)) continue;
      const auto step = MatchFunctionStep(state_.graph(), value_, nodes);
      if (step.has_value() &&
          (!exact_ || cpu::Info(step->kind).exactness == cpu::Exactness::kExact)) {
        return step;
      }
    }
    return std::nullopt;
  }

  std::vector<const ir::Node*> FunctionNodes() const {
    std::vector<const ir::Node*> nodes;
    const auto all = state_.graph().nodes();
    for (size_t id = value_->id + 1; id < all.size() && nodes.size() < kMostNodes; ++id) {
      const ir::Node* const node = all[id];
      const bool follows = absl::c_any_of(node->operands, [&](const ir::Node* operand) {
        return operand == value_ || absl::c_linear_search(nodes, operand);
      });
      if (follows && state_.GroupOf(node) >= 0 &&
          IsFunctionNode(state_.graph(), node, value_, nodes)) {
        nodes.push_back(node);
      }
    }
    return nodes;
  }

  // Whether only the last of `nodes` is read by others.
  bool IsClosed(const std::vector<const ir::Node*>& nodes) const {
    const auto is_inside = [&](const ir::Node* user) { return absl::c_linear_search(nodes, user); };
    if (!absl::c_all_of(state_.UsersOf(value_), is_inside)) return false;
    return std::all_of(nodes.begin(), nodes.end() - 1, [&](const ir::Node* node) {
      const auto users = state_.UsersOf(node);
      return !state_.IsOutput(node) && !users.empty() && absl::c_all_of(users, is_inside);
    });
  }

  const FusionState& state_;
  const ir::Node* value_;
  const bool exact_;
};

// Why `node` cannot be part of the product's group; "" if it can.
std::string WhyNotTaken(const FusionState& state, int product, const ir::Node* node) {
  const int group = state.GroupOf(node);
  // As of two products that are multiplied: the node is an epilogue of one of them.
  if (state.group(group).by_library) return "it is part of another product";
  return state.WhyApart(product, group);
}

// oneDNN 2 knows the functions of an epilogue by their names alone: a second relu of another slope
// would be computed with the first one's.
bool IsOtherOfItsKind(const EpilogueStep& step, const std::vector<EpilogueStep>& epilogue) {
  return cpu::Info(step.kind).form == cpu::EpilogueForm::kFunction &&
         absl::c_any_of(epilogue, [&](const EpilogueStep& taken) {
           return taken.kind == step.kind && (taken.alpha != step.alpha || taken.beta != step.beta);
         });
}

// Takes in one step after the other.
void TakeIn(FusionState& state, int product) {
  // Only of fast_math may an epilogue change bits.
  const bool exact = !state.products().any_order;
  const ir::Node* value = state.group(product).root();
  const ir::Node* const root = value;
  for (;;) {
    std::vector<const ir::Node*> nodes;
    const auto step = StepFinder(state, value, exact).Find(nodes);
    if (!step.has_value() || IsOtherOfItsKind(*step, state.group(product).epilogue)) return;
    // With an array as large as its result oneDNN's convolution takes twice the time.
    const bool is_whole = cpu::Info(step->kind).form == cpu::EpilogueForm::kArray && !step->is_row;
    if (state.group(product).has_windows && is_whole) return;
    for (const ir::Node* node : nodes) {
      const std::string apart = WhyNotTaken(state, product, node);
      if (apart.empty()) continue;
      return state.Note(
          absl::StrCat("not fused ", NodeName(node), " into ", NodeName(root), ": ", apart));
    }
    for (const ir::Node* node : nodes) state.Merge(state.GroupOf(node), product);
    state.AddEpilogueStep(product, *step);
    value = nodes.back();
    state.Note(absl::StrCat("fused ", NodeName(value), " into ", NodeName(root), " as ",
                            cpu::Info(step->kind).text));
  }
}

}  // namespace

void FuseEpilogues(FusionState& state) {
  for (int g = 0; g < state.num_groups(); ++g) {
    if (!state.alive(g) || !state.group(g).by_library) continue;
    // Those that may turn out small, or are one row, have the bits of products in order then, as
    // those of eager functions: with an epilogue they would always be the library's.
    const ir::Node* const product = state.group(g).root();
    const KnownMatmulWork known = KnownWork(state.graph(), product);
    const bool is_worth_it =
        known.multiplications.has_value()
            ? cpu::IsWorthLibrary({*known.multiplications, known.is_one_row,
                                   ir::MatmulHas(product, ir::kMatmulLowPrecision)})
            : state.products().any_order;
    if (is_worth_it) TakeIn(state, g);
  }
}

}  // namespace dynacc::schedule
