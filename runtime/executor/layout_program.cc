#include "runtime/executor/layout_program.h"

#include <algorithm>

#include "runtime/executor/layout_rules.h"
#include "runtime/executor/memory_order.h"

namespace dynacc::executor {
namespace {

// Whether a view's axes are those of its operand in the same order, some left out or added.
bool KeepsAxesInOrder(const ViewPlan& view) {
  int last = -1;
  for (int d = 0; d < view.shape.rank; ++d) {
    if (view.axis[d] < 0) continue;
    if (view.axis[d] < last) return false;
    last = view.axis[d];
  }
  return true;
}

// Whether a copy of this step's array in order "K" is in C order if the inputs are contiguous.
bool IsCopiedInCOrder(absl::Span<const LayoutStep> steps, const LayoutStep& step) {
  if (step.rule == LayoutRule::kConverted) return IsCopiedInCOrder(steps, steps[step.operands[0]]);
  return step.rule != LayoutRule::kView;
}

// Whether a view has axes along which its elements repeat, or may.
bool MayRepeat(const LayoutStep& step) {
  const int8_t* const axes = step.view.axis;
  return step.rule == LayoutRule::kView && std::count(axes, axes + step.view.shape.rank, -1) > 0;
}

}  // namespace

LayoutProgram::LayoutProgram(std::vector<LayoutStep> steps) : steps_(std::move(steps)) {
  for (const LayoutStep& step : steps_) {
    const bool is_view = step.rule == LayoutRule::kView;
    const bool is_copy = step.rule == LayoutRule::kKeepOrder;
    // Steps of a view may bring the strides of an array with gaps into another order; a copy also
    // looks at strides that iterators do not see.
    // So does a concatenation, of all its parts.
    const bool is_concat = step.rule == LayoutRule::kConcat;
    if (is_view || is_copy || is_concat) condition_ = std::max(condition_, Condition::kContiguous);
    if (is_view && !KeepsAxesInOrder(step.view)) condition_ = Condition::kNever;
    for (const int part : step.operands) {
      if (is_concat && MayRepeat(steps_[part])) condition_ = Condition::kNever;
    }
    if (is_copy && !IsCopiedInCOrder(steps_, steps_[step.operands[0]])) {
      condition_ = Condition::kNever;
    }
  }
}

bool LayoutProgram::IsAllInCOrder(absl::Span<const StridedView> inputs) const {
  if (condition_ == Condition::kNever) return false;
  return std::all_of(inputs.begin(), inputs.end(), [this](const StridedView& input) {
    return condition_ == Condition::kContiguous ? IsContiguous(input) : IsCOrdered(input);
  });
}

Layouts LayoutProgram::Run(const RunArguments& arguments) const {
  Layouts layouts(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    const LayoutStep& step = steps_[i];
    StridedView& view = layouts[i].view;
    view.dtype = step.dtype;
    view.rank = step.shape.rank;
    for (int d = 0; d < view.rank; ++d) view.shape[d] = arguments.scalars[step.shape.sizes[d]].i;
    layouts[i].number = view.rank == 0;
    ApplyLayoutRule({step, arguments, {layouts.data(), i}}, layouts[i]);
  }
  return layouts;
}

}  // namespace dynacc::executor
