// A product whose left operand are windows of an array, as a matrix, reads them where they lie: the
// matrix would be many times the array. One by the library may be a convolution.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/matmul_attrs.h"
#include "codegen/schedule/copies.h"
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {
namespace {

// Whether two axes of the View walk along the same one of its operand.
bool ShowsWindows(const ir::Node* view) {
  const absl::Span<const int64_t> axes = view->attrs.ints;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] >= 0 && absl::c_count(axes, axes[i]) > 1) return true;
  }
  return false;
}

// The View that `operand` is a Reshape of, if it shows windows; else null.
const ir::Node* WindowsOf(const ir::Graph& graph, const ir::Node* operand) {
  if (operand->op != Op::kReshape) return nullptr;
  const ir::Node* const view = WithoutCopy(graph, operand->operands[0]);
  const bool is_view = view->op == Op::kView && view->operands[0]->op != Op::kRoll;
  return is_view && ShowsWindows(view) ? view : nullptr;
}

}  // namespace

void FuseWindows(FusionState& state) {
  for (int g = 0; g < state.num_groups(); ++g) {
    if (!state.alive(g) || state.group(g).kind != GroupKind::kMatmul) continue;
    const ir::Node* const product = state.group(g).nodes.front();
    const ir::Node* const operand = product->operands[0];
    // Of tensors the product of windows has other bits than a convolution, which says so.
    const bool may = state.group(g).by_library
                         ? state.products().any_order || ir::MatmulHas(product, ir::kMatmulWindows)
                         : state.products().reads_windows;
    const ir::Node* const right = product->operands[1];
    const bool is_one_matrix = right->rank() == 2 && right != operand && !IsOneNumber(right);
    if (!may || !is_one_matrix || state.UsersOf(operand).size() != 1 || state.IsOutput(operand)) {
      continue;
    }
    const ir::Node* const windows = WindowsOf(state.graph(), operand);
    // Of one array for both BLAS looks at where they lie.
    if (windows == nullptr || IsOneNumber(windows) || BaseOf(windows) == BaseOf(right)) continue;
    state.Take(g, 0, windows);
    state.MarkWindows(g);
    state.Note(absl::StrCat(NodeName(product), " takes the windows ", NodeName(windows)));
  }
}

}  // namespace dynacc::schedule
