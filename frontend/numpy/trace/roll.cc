// np.roll: a Roll node, which kernels read through.
#include <algorithm>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/conversion.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/sizes.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// A roll along more axes than this, of as many as 2^n pieces, is left to NumPy.
constexpr int64_t kMaxRolledAxes = 3;

// One int, or a tuple or list of them.
std::vector<symbolic::Value*> OneOrMore(symbolic::TraceContext& trace, symbolic::Value* value) {
  const auto items = ItemsOf(trace, value);
  return items ? *items : std::vector<symbolic::Value*>{value};
}

// How far each axis is rolled, by shifts and axes that broadcast with each other.
absl::StatusOr<std::vector<Size>> ShiftsFrom(symbolic::TraceContext& trace, const NumpyTensor* a,
                                             symbolic::Value* shift, symbolic::Value* axis) {
  const std::vector<symbolic::Value*> shifts = OneOrMore(trace, shift);
  const std::vector<symbolic::Value*> axes = OneOrMore(trace, axis);
  const size_t count = std::max(shifts.size(), axes.size());
  if ((shifts.size() != count && shifts.size() != 1) ||
      (axes.size() != count && axes.size() != 1)) {
    return symbolic::GraphBreak("shifts and axes of different numbers");
  }
  std::vector<Size> sums(a->node->rank(), ConstantSize(trace, 0));
  for (size_t i = 0; i < count; ++i) {
    DYNACC_ASSIGN_OR_RETURN(const Size by, SizeFrom(trace, shifts[shifts.size() == 1 ? 0 : i]));
    DYNACC_ASSIGN_OR_RETURN(const int64_t along,
                            AxisFrom(trace, axes[axes.size() == 1 ? 0 : i], a->node->rank()));
    sums[along] = Apply(trace, ScalarOp::kAdd, sums[along], by);
  }
  return sums;
}

// `node` rolled, of that shape; a Roll of a Roll is one.
absl::StatusOr<const ir::Node*> Rolled(symbolic::TraceContext& trace, const ir::Node* node,
                                       const Shape& shape, absl::Span<const Size> by) {
  std::vector<ScalarId> shifts;
  const ScalarId zero = trace.graph().scalars().Int(0);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (by[axis].id == zero) {
      shifts.push_back(zero);
      continue;
    }
    if (!IsLess(trace, ConstantSize(trace, 0), shape.at(axis))) {
      return symbolic::GraphBreak("a roll of no elements");
    }
    shifts.push_back(Apply(trace, ScalarOp::kMod, by[axis], shape.at(axis)).id);
  }
  const int64_t rolled =
      std::count_if(shifts.begin(), shifts.end(), [zero](ScalarId shift) { return shift != zero; });
  if (rolled > kMaxRolledAxes) return symbolic::GraphBreak("a roll along many axes");
  if (rolled == 0) return CopyInKeptOrder(trace, node, shape);
  return trace.graph().Roll(node, shifts);
}

// Without an axis: a view, of the array's shape, of what is rolled as one row.
absl::StatusOr<symbolic::Value*> RollFlat(symbolic::TraceContext& trace, NumpyTensor* a,
                                          symbolic::Value* shift) {
  DYNACC_ASSIGN_OR_RETURN(const Size by, SizeFrom(trace, shift));
  Shape row;
  row.push_back(ProductOf(trace, ShapeOf(a), 0, a->node->rank()));
  const ir::Node* const flat = trace.graph().Reshape(a->node, row.ids);
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* rolled, Rolled(trace, flat, row, {by}));
  NumpyTensor* const base = NewTensor(trace, rolled, row, COrder(std::in_place));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, ReshapedArray(trace, base, ShapeOf(a)));
  return view;
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceRoll(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * tensor, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * shift, args.Required("shift"));
  NumpyTensor* const a = AsNumpy(tensor);
  if (a->is_scalar || a->node->rank() == 0)
    return symbolic::GraphBreak("a roll of an array of rank 0");
  symbolic::Value* const axis = args.GivenOrNull("axis");
  if (axis == nullptr) return RollFlat(trace, a, shift);
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Size> by, ShiftsFrom(trace, a, shift, axis));
  DYNACC_ASSIGN_OR_RETURN(const ir::Node* node, Rolled(trace, a->node, ShapeOf(a), by));
  return NewTensor(trace, node, ShapeOf(a), a->c_order);
}

}  // namespace dynacc::numpy
