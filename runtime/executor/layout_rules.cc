#include "runtime/executor/layout_rules.h"

#include <algorithm>

#include "runtime/executor/copy_step.h"
#include "runtime/executor/memory_order.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::executor {
namespace {

using Operands = boost::container::small_vector<const Layout*, 3>;

Operands OperandsOf(const LayoutContext& context) {
  Operands operands;
  for (const int operand : context.step.operands) operands.push_back(&context.earlier[operand]);
  return operands;
}

bool IsEmpty(const StridedView& view) {
  return std::find(view.shape, view.shape + view.rank, 0) != view.shape + view.rank;
}

// NumPy gives a fresh array without elements strides of 0.
void SetFreshStrides(const AxisOrder& order, Layout& result) {
  SetDenseStrides(result.view, order);
  if (IsEmpty(result.view)) std::fill_n(result.view.strides, result.view.rank, 0);
  result.fresh = true;
}

AxisOrder FortranOrder(int rank) {
  AxisOrder order = {};
  for (int i = 0; i < rank; ++i) order.axis[i] = static_cast<int8_t>(i);
  return order;
}

// NumPy's flags of contiguity: axes of size 1 do not count, and what has no elements has both.
bool IsDense(const StridedView& view, const AxisOrder& order) {
  if (IsEmpty(view)) return true;
  int64_t expected = ItemSize(view.dtype);
  for (int i = 0; i < view.rank; ++i) {
    const int axis = order.axis[i];
    if (view.shape[axis] == 1) continue;
    if (view.strides[axis] != expected) return false;
    expected *= view.shape[axis];
  }
  return true;
}

// Whether a ufunc would take its short cut for Fortran-ordered arrays: axes of size 1 then follow
// that order too.
bool TakesFortranShortCut(const Operands& operands) {
  bool any_fortran = false;
  for (const Layout* operand : operands) {
    if (operand->number) continue;
    const StridedView& view = operand->view;
    if (operand->converted || !IsDense(view, FortranOrder(view.rank))) return false;
    if (IsDense(view, COrder(view.rank))) return false;
    any_fortran = true;
  }
  return any_fortran;
}

AxisOrder IterationOrder(const Operands& operands, int rank) {
  int64_t strides[3][kMaxRank];
  const int64_t* each[3];
  for (size_t i = 0; i < operands.size(); ++i) {
    IteratorStrides(operands[i]->view, strides[i]);
    each[i] = strides[i];
  }
  return FindAxisOrder(rank, {each, operands.size()});
}

void LayInput(const LayoutContext& context, Layout& result) {
  result.view = context.arguments.inputs[context.step.index];
  result.converted =
      reinterpret_cast<uintptr_t>(result.view.data) % ItemSize(result.view.dtype) != 0;
}

void LayInCOrder(const LayoutContext&, Layout& result) {
  SetFreshStrides(COrder(result.view.rank), result);
}

void LayNumber(const LayoutContext&, Layout&) {}

void LayView(const LayoutContext& context, Layout& result) {
  const Layout& operand = context.operand(0);
  result.view = ApplyView(operand.view, context.step.view, context.arguments.scalars);
  result.converted = operand.converted;
  result.number |= operand.number;
}

void LayPart(const LayoutContext& context, Layout& result) {
  const Layout& operand = context.operand(0);
  std::copy_n(operand.view.strides, result.view.rank, result.view.strides);
  result.converted = operand.converted;
  result.number |= operand.number;
}

void LayReshape(const LayoutContext& context, Layout& result) {
  const Layout& operand = context.operand(0);
  result.converted = operand.converted;
  if (!ReshapeWithoutCopy(operand.view, result.view)) LayInCOrder(context, result);
}

void LayConverted(const LayoutContext& context, Layout& result) {
  // A signed number on its way to an unsigned dtype keeps NumPy from its short cuts too, though it
  // is copied and not buffered (check_for_trivial_loop).
  const bool is_unsafe = Info(context.operand(0).view.dtype).kind == DTypeKind::kSigned &&
                         Info(context.step.dtype).kind == DTypeKind::kUnsigned;
  result = context.operand(0);
  result.fresh = false;
  result.number &= !is_unsafe;
  result.converted = true;
}

void LayUfunc(const LayoutContext& context, Layout& result) {
  const Operands operands = OperandsOf(context);
  const int rank = result.view.rank;
  SetFreshStrides(
      TakesFortranShortCut(operands) ? FortranOrder(rank) : IterationOrder(operands, rank), result);
}

void LayIterated(const LayoutContext& context, Layout& result) {
  SetFreshStrides(IterationOrder(OperandsOf(context), result.view.rank), result);
}

void LayKept(const LayoutContext& context, Layout& result) {
  SetKeptStrides(context.operand(0).view, result.view);
  result.fresh = true;
}

void LayUpdated(const LayoutContext& context, Layout& result) { result = context.operand(1); }

void LayReduced(const LayoutContext& context, Layout& result) {
  const StridedView& source = context.operand(0).view;
  const AxisOrder order = ReductionOrder(source);
  int8_t kept_axis[kMaxRank];  // of each source axis: the result's
  int kept = 0;
  for (int i = 0; i < source.rank; ++i) {
    const bool reduced = context.step.reduced_axes >> i & 1;
    kept_axis[i] = static_cast<int8_t>(reduced && !context.step.keepdims ? -1 : kept++);
  }
  AxisOrder result_order = {};
  int position = 0;
  for (int i = 0; i < source.rank; ++i) {
    const int8_t axis = kept_axis[order.axis[i]];
    if (axis >= 0) result_order.axis[position++] = axis;
  }
  SetFreshStrides(result_order, result);
}

// The leading axes follow the operands', the core axes stay innermost.
void LayMatmul(const LayoutContext& context, Layout& result) {
  const int rank = result.view.rank;
  if (rank < 2) return LayInCOrder(context, result);
  const int leading = rank - 2;
  int64_t strides[2][kMaxRank] = {};
  for (int k = 0; k < 2; ++k) {
    const StridedView& view = context.operand(k).view;
    const int missing = rank - view.rank;
    for (int i = std::max(missing, 0); i < leading; ++i) {
      strides[k][i] = view.shape[i - missing] == 1 ? 0 : view.strides[i - missing];
    }
  }
  const int64_t* operands[] = {strides[0], strides[1]};
  const AxisOrder outer = FindAxisOrder(leading, operands);
  AxisOrder order = COrder(rank);
  std::copy_n(outer.axis, leading, order.axis + 2);
  SetFreshStrides(order, result);
}

// Whether concatenate puts axis `a` inside of axis `b`, of which it is the later one: the first of
// the parts that is long along both decides, but where the parts differ, C order wins.
bool LiesOutside(const Operands& parts, int a, int b, bool* decided) {
  bool outside = false;
  *decided = false;
  for (const Layout* part : parts) {
    if (part->view.shape[a] == 1 || part->view.shape[b] == 1) continue;
    if (std::abs(part->view.strides[a]) <= std::abs(part->view.strides[b])) {
      outside = false;
    } else if (!*decided) {
      outside = true;
    }
    *decided = true;
  }
  return outside;
}

// PyArray_CreateMultiSortedStridePerm in NumPy's core/src/multiarray/ctors.c.
void LayConcat(const LayoutContext& context, Layout& result) {
  const Operands parts = OperandsOf(context);
  const int rank = result.view.rank;
  int sorted[kMaxRank];  // outermost first
  for (int i = 0; i < rank; ++i) {
    int place = i;
    for (int j = i - 1; j >= 0; --j) {
      bool decided;
      const bool outside = LiesOutside(parts, i, sorted[j], &decided);
      if (!decided) continue;
      if (!outside) break;
      place = j;
    }
    std::copy_backward(sorted + place, sorted + i, sorted + i + 1);
    sorted[place] = i;
  }
  AxisOrder order = {};
  for (int i = 0; i < rank; ++i) order.axis[i] = static_cast<int8_t>(sorted[rank - 1 - i]);
  SetFreshStrides(order, result);
}

using Rule = void (*)(const LayoutContext&, Layout&);
// In the order of enum LayoutRule.
constexpr Rule kRules[] = {LayInput,   LayInCOrder,  LayNumber, LayView,     LayPart,
                           LayReshape, LayConverted, LayUfunc,  LayIterated, LayKept,
                           LayUpdated, LayReduced,   LayMatmul, LayConcat};

}  // namespace

void ApplyLayoutRule(const LayoutContext& context, Layout& result) {
  kRules[static_cast<int>(context.step.rule)](context, result);
}

void SetKeptStrides(const StridedView& source, StridedView& view) {
  const AxisOrder c_order = COrder(view.rank);
  const AxisOrder fortran = FortranOrder(view.rank);
  SetDenseStrides(view, IsDense(source, c_order)   ? c_order
                        : IsDense(source, fortran) ? fortran
                                                   : SortAxesByStride(view.rank, source.strides));
}

AxisOrder ReductionOrder(const StridedView& source) {
  int64_t strides[kMaxRank];
  IteratorStrides(source, strides);
  const int64_t* operand = strides;
  return FindAxisOrder(source.rank, {&operand, 1});
}

}  // namespace dynacc::executor
