// A product whose sums may be added in any order is computed by a library that is quicker then
// (MatmulPolicy), if it is large enough.
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/matmul_attrs.h"
#include "codegen/schedule/copies.h"
#include "codegen/schedule/known_matmul_work.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

// Whether the product may turn out large enough: sizes that are not known may be anything, and the
// right operand of a product of tensors may be constant.
bool MayBeLarge(const ir::Graph& graph, const ir::Node* product) {
  const bool may_be_constant =
      ir::MatmulHas(product, ir::kMatmulAnyOrder) && !ir::MatmulHas(product, ir::kMatmulWindows);
  const KnownMatmulWork known = KnownWork(graph, product);
  const double multiplications = known.multiplications.value_or(cpu::kLeastLibraryWork);
  return cpu::IsWorthLibrary({multiplications, known.is_one_row,
                              ir::MatmulHas(product, ir::kMatmulLowPrecision), may_be_constant});
}

std::string WhyNotByLibrary(const FusionState& state, const ir::Node* product) {
  const MatmulPolicy& policy = state.products();
  if (product->dtype != DType::kFloat32) {
    return absl::StrCat("a product of ", Info(product->dtype).text);
  }
  if (absl::c_any_of(product->operands, IsOneNumber)) return "an operand is one number";
  if (!MayBeLarge(state.graph(), product)) return "it is small, or one row";
  if (policy.library == nullptr) return "the target has no library for it";
  const absl::Status& status = policy.library();
  return status.ok() ? "" : std::string(status.message());
}

// The tensor of bfloat16 that `operand` was cast from; null if that cannot be seen.
const ir::Node* CastFrom(const ir::Graph& graph, const ir::Node* operand) {
  operand = WithoutCopy(graph, operand);
  const bool is_cast = operand->op == Op::kCast && operand->operands[0]->dtype == DType::kBFloat16;
  return is_cast && operand->operands[0]->op != Op::kRoll ? operand->operands[0] : nullptr;
}

// Operands that were cast for the product are taken as they were before.
void TakeLowPrecision(FusionState& state, int g) {
  const ir::Node* const product = state.group(g).root();
  const bool can = state.products().takes_bfloat16 != nullptr && state.products().takes_bfloat16();
  if (!ir::MatmulHas(product, ir::kMatmulLowPrecision) || !can) return;
  state.MarkLowPrecision(g);
  for (int i = 0; i < 2; ++i) {
    const ir::Node* const source = CastFrom(state.graph(), product->operands[i]);
    if (source == nullptr) continue;
    state.Take(g, i, source);
    state.Note(absl::StrCat(NodeName(product), " takes ", NodeName(source), " of bfloat16"));
  }
}

}  // namespace

void LibraryMatmuls(FusionState& state) {
  for (int g = 0; g < state.num_groups(); ++g) {
    if (!state.alive(g) || state.group(g).kind != GroupKind::kMatmul) continue;
    const ir::Node* const product = state.group(g).root();
    if (!state.products().any_order && !ir::MatmulHas(product, ir::kMatmulAnyOrder)) continue;
    const std::string reason = WhyNotByLibrary(state, product);
    if (reason.empty()) {
      state.GiveToLibrary(g);
      TakeLowPrecision(state, g);
    } else {
      state.Note(absl::StrCat(NodeName(product), " is not the library's: ", reason));
    }
  }
}

}  // namespace dynacc::schedule
