#include "frontend/numpy/trace/strides.h"

#include <algorithm>

#include "frontend/numpy/capi/numpy_api.h"

namespace dynacc::numpy {
namespace {

std::vector<Size> StridesInCOrder(symbolic::TraceContext& trace, const Shape& shape) {
  std::vector<Size> strides(shape.rank(), ConstantSize(trace, 1));
  for (int axis = shape.rank() - 2; axis >= 0; --axis) {
    strides[axis] = Apply(trace, ScalarOp::kMul, strides[axis + 1], shape.at(axis + 1));
  }
  return strides;
}

// The strides of an existing array, in elements: each is asked of it at every call.
std::optional<std::vector<Size>> StridesInMemory(symbolic::TraceContext& trace,
                                                 const NumpyTensor* a) {
  if (a->source() == nullptr || a->is_native || !a->memory) return std::nullopt;
  PyArrayObject* const array = AsArray(a->memory.get());
  const Size item = ConstantSize(trace, ItemSize(a->node->dtype));
  std::vector<Size> strides;
  for (int axis = 0; axis < a->node->rank(); ++axis) {
    const Size bytes = {trace.Stride(a->source(), axis), PyArray_STRIDE(array, axis)};
    const Size rest = Apply(trace, ScalarOp::kMod, bytes, item);
    if (!IsEqual(trace, rest, ConstantSize(trace, 0))) return std::nullopt;
    strides.push_back(Apply(trace, ScalarOp::kFloorDiv, bytes, item));
  }
  return strides;
}

// The strides of a View of an array with the strides `base`.
std::optional<std::vector<Size>> StridesOfView(symbolic::TraceContext& trace, const ir::Node* view,
                                               const std::vector<Size>& base) {
  const absl::Span<const ScalarId> steps = view->attrs.scalars.subspan(base.size());
  std::vector<Size> strides;
  for (int d = 0; d < view->rank(); ++d) {
    const int64_t axis = view->attrs.ints[d];
    int64_t step = 0;
    if (axis >= 0 && !trace.graph().scalars().IsIntConst(steps[d], &step)) return std::nullopt;
    const Size factor = ConstantSize(trace, step);
    strides.push_back(axis < 0 ? ConstantSize(trace, 0)
                               : Apply(trace, ScalarOp::kMul, base[axis], factor));
  }
  return strides;
}

// How the strides of two axes compare in several arrays.
enum class Nesting : uint8_t { kEither, kCOrder, kOther };

// `inner` comes after `outer`. An array with one element along an axis has no opinion.
Nesting NestingOf(symbolic::TraceContext& trace, absl::Span<const std::vector<Size>> arrays,
                  int outer, int inner) {
  const Size zero = ConstantSize(trace, 0);
  Nesting nesting = Nesting::kEither;
  for (const std::vector<Size>& strides : arrays) {
    if (IsEqual(trace, strides[outer], zero) || IsEqual(trace, strides[inner], zero)) continue;
    if (!IsLessOrEqual(trace, strides[inner], strides[outer])) return Nesting::kOther;
    nesting = Nesting::kCOrder;
  }
  return nesting;
}

// The strides of the array's axes but for the last `core`, put beside the last of `count` axes; 0
// where it has one element. Unless `asks`, an axis that may have one and has more in this trace
// keeps its stride.
std::optional<std::vector<Size>> AlignedStrides(symbolic::TraceContext& trace, NumpyTensor* a,
                                                int core, int count, bool asks) {
  const auto strides = StridesOf(trace, a);
  if (!strides) return std::nullopt;
  const int own = std::max(0, a->node->rank() - core);
  std::vector<Size> aligned(count, ConstantSize(trace, 0));
  for (int axis = 0; axis < own; ++axis) {
    const Size stride = (*strides)[axis];
    if (IsLess(trace, stride, ConstantSize(trace, 0))) return std::nullopt;
    const Size size = SizeOf(a, axis);
    const bool is_one = (asks || size.hint == 1) && IsEqual(trace, size, ConstantSize(trace, 1));
    if (!is_one) aligned[count - own + axis] = stride;
  }
  return aligned;
}

bool AllAlignedStrides(symbolic::TraceContext& trace, absl::Span<NumpyTensor* const> operands,
                       int core, int count, bool asks, std::vector<std::vector<Size>>& strides) {
  for (NumpyTensor* operand : operands) {
    const auto aligned = AlignedStrides(trace, operand, core, count, asks);
    if (!aligned) return false;
    strides.push_back(*aligned);
  }
  return true;
}

// Whether no two axes are the other way round in any array. Then it does not matter to the order
// which axes have one element, and the graph holds for one and for more.
bool NestInCOrder(symbolic::TraceContext& trace, absl::Span<NumpyTensor* const> operands, int core,
                  int count) {
  std::vector<std::vector<Size>> strides;
  if (!AllAlignedStrides(trace, operands, core, count, /*asks=*/false, strides)) return false;
  for (int axis = 0; axis < count; ++axis) {
    for (int inner = axis + 1; inner < count; ++inner) {
      if (NestingOf(trace, strides, axis, inner) == Nesting::kOther) return false;
    }
  }
  return true;
}

// The axes of more than one element, from `first` on; nothing if some axis has none.
struct Axes {
  std::vector<Size> sizes;
  std::vector<Size> strides;
};

std::optional<Axes> AxesOf(symbolic::TraceContext& trace, NumpyTensor* a, int first = 0) {
  const auto strides = StridesOf(trace, a);
  if (!strides) return std::nullopt;
  Axes axes;
  for (int axis = 0; axis < a->node->rank(); ++axis) {
    const Size size = SizeOf(a, axis);
    if (trace.IsDataDependent(size.id) || IsEqual(trace, size, ConstantSize(trace, 0)))
      return std::nullopt;
    if (axis < first || IsEqual(trace, size, ConstantSize(trace, 1))) continue;
    axes.sizes.push_back(size);
    axes.strides.push_back((*strides)[axis]);
  }
  return axes;
}

// Whether axes first to last lie side by side, as one axis would.
bool AreOne(symbolic::TraceContext& trace, const Axes& axes, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    const Size next = Apply(trace, ScalarOp::kMul, axes.sizes[i + 1], axes.strides[i + 1]);
    if (!IsEqual(trace, axes.strides[i], next)) return false;
  }
  return true;
}

// Whether they lie in C order without gaps.
bool AreDense(symbolic::TraceContext& trace, const Axes& axes) {
  if (axes.sizes.empty()) return true;
  const size_t last = axes.sizes.size() - 1;
  return IsEqual(trace, axes.strides[last], ConstantSize(trace, 1)) && AreOne(trace, axes, 0, last);
}

}  // namespace

std::optional<std::vector<Size>> StridesOf(symbolic::TraceContext& trace, NumpyTensor* a) {
  if (RequireCOrder(trace, a)) return StridesInCOrder(trace, ShapeOf(a));
  const ir::Node* const node = a->node;
  if (a->view_of == nullptr) return StridesInMemory(trace, a);
  if (node->op != Op::kView || node->operands[0] != a->view_of->node) {
    return std::nullopt;
  }
  const auto base = StridesOf(trace, AsNumpy(a->view_of));
  return base ? StridesOfView(trace, node, *base) : std::nullopt;
}

bool SurelyViews(symbolic::TraceContext& trace, NumpyTensor* a, const Shape& shape) {
  return AxesOf(trace, a) && !SurelyCopies(trace, a, shape);
}

bool GiveCOrder(symbolic::TraceContext& trace, absl::Span<NumpyTensor* const> operands, int core,
                int count) {
  if (NestInCOrder(trace, operands, core, count)) return true;
  std::vector<std::vector<Size>> strides;
  if (!AllAlignedStrides(trace, operands, core, count, /*asks=*/true, strides)) return false;
  for (int axis = count - 2; axis >= 0; --axis) {
    for (int inner = axis + 1; inner < count; ++inner) {
      const Nesting nesting = NestingOf(trace, strides, axis, inner);
      if (nesting == Nesting::kOther) return false;
      if (nesting == Nesting::kCOrder) break;
    }
  }
  return true;
}

bool IsSurelyScattered(symbolic::TraceContext& trace, NumpyTensor* a) {
  const auto axes = AxesOf(trace, a);
  return axes && !AreDense(trace, *axes);
}

bool IsSurelyDense(symbolic::TraceContext& trace, NumpyTensor* a) {
  const auto axes = AxesOf(trace, a);
  return axes && AreDense(trace, *axes);
}

bool SurelyCopies(symbolic::TraceContext& trace, NumpyTensor* a, const Shape& shape) {
  // The first axes stay what they are, whether they have one element or more.
  int kept = 0;
  while (kept < std::min(a->node->rank(), shape.rank()) &&
         a->node->shape[kept] == shape.ids[kept]) {
    ++kept;
  }
  const auto axes = AxesOf(trace, a, kept);
  if (!axes) return false;
  const size_t count = axes->sizes.size();
  const auto new_count = static_cast<size_t>(shape.rank());
  size_t old_first = 0, old_end = 1;
  auto new_first = static_cast<size_t>(kept), new_end = new_first + 1;
  while (old_first < count && new_first < new_count) {
    Size ours = axes->sizes[old_first];
    Size theirs = shape.at(static_cast<int>(new_first));
    while (!IsEqual(trace, theirs, ours)) {
      if (IsLess(trace, theirs, ours)) {
        if (new_end == new_count) return false;
        theirs = Apply(trace, ScalarOp::kMul, theirs, shape.at(static_cast<int>(new_end++)));
      } else {
        if (old_end == count) return false;
        ours = Apply(trace, ScalarOp::kMul, ours, axes->sizes[old_end++]);
      }
    }
    if (!AreOne(trace, *axes, old_first, old_end - 1)) return true;
    old_first = old_end++;
    new_first = new_end++;
  }
  return false;
}

}  // namespace dynacc::numpy
