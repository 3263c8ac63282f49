#include "runtime/executor/element_steps.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/launch_step.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::executor {
namespace {

// --- Single elements.

char* At(const StridedView& view, const int64_t* index) {
  char* element = view.data;
  for (int axis = 0; axis < view.rank; ++axis) element += index[axis] * view.strides[axis];
  return element;
}

// Steps `index` to the next one in C order; false behind the last.
bool Next(const StridedView& shape, int64_t* index) {
  for (int axis = shape.rank - 1; axis >= 0; --axis) {
    if (++index[axis] < shape.shape[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

// Calls `visit` with each index of `shape`, in C order, until it fails.
template <typename Visit>
absl::Status ForEachIndex(const StridedView& shape, Visit visit) {
  int64_t index[kMaxRank] = {};
  if (shape.size() == 0) return absl::OkStatus();
  do {
    DYNACC_RETURN_IF_ERROR(visit(static_cast<const int64_t*>(index)));
  } while (Next(shape, index));
  return absl::OkStatus();
}

// A binary op on any dtype that has one: floats that NumPy lacks compute as float32.
class BinaryOp {
 public:
  BinaryOp(Op op, DType dtype)
      : function_(FindBinaryElementFn(op, IsLowPrecision(dtype) ? DType::kFloat32 : dtype)) {
    if (!IsLowPrecision(dtype)) return;
    widen_ = FindCastFn(dtype, DType::kFloat32);
    if (dynacc::Info(op).dtype_rule == DTypeRule::kSame)
      narrow_ = FindCastFn(DType::kFloat32, dtype);
  }
  bool is_defined() const { return function_ != nullptr; }

  void operator()(const char* a, const char* b, char* result) const {
    if (widen_ == nullptr) return function_(a, b, result);
    float wide[2];
    widen_(a, &wide[0]);
    widen_(b, &wide[1]);
    if (narrow_ == nullptr) return function_(&wide[0], &wide[1], result);
    function_(&wide[0], &wide[1], &wide[0]);
    narrow_(&wide[0], result);
  }

 private:
  BinaryElementFn function_;
  UnaryElementFn widen_ = nullptr;
  UnaryElementFn narrow_ = nullptr;
};

absl::Status Undefined(Op op, DType dtype) {
  return absl::UnimplementedError(
      absl::StrCat(dynacc::Info(op).text, " is not defined on ", dynacc::Info(dtype).text));
}

bool IsNan(const char* element, DType dtype) {
  if (!IsInexact(dtype)) return false;
  bool differs = false;
  BinaryOp(Op::kNotEqual, dtype)(element, element, reinterpret_cast<char*>(&differs));
  return differs;
}

}  // namespace

absl::Status ScanElements(Op op, const StridedView& source, int axis, const StridedView& out) {
  const BinaryOp combine(op, source.dtype);
  if (!combine.is_defined()) return Undefined(op, source.dtype);
  const int64_t item = ItemSize(source.dtype);
  return ForEachIndex(source, [&](const int64_t* index) {
    char* const sum = At(out, index);
    if (index[axis] == 0) {
      std::memcpy(sum, At(source, index), item);
    } else {
      combine(sum - out.strides[axis], At(source, index), sum);
    }
    return absl::OkStatus();
  });
}

absl::Status FindExtremes(Op op, const StridedView& source, absl::Span<const int> axes,
                          const StridedView& places) {
  const BinaryOp beats(op, source.dtype);
  if (!beats.is_defined()) return Undefined(op, source.dtype);
  StridedView line = source;  // the axes that are searched
  line.rank = 0;
  for (const int axis : axes) {
    line.shape[line.rank] = source.shape[axis];
    line.strides[line.rank++] = source.strides[axis];
  }
  if (places.size() > 0 && line.size() == 0) {
    return absl::AbortedError("the greatest or least of no elements");
  }
  const bool keeps_axes = places.rank == source.rank;
  return ForEachIndex(places, [&](const int64_t* index) {
    line.data = source.data;
    int next = 0;
    for (int axis = 0; axis < source.rank; ++axis) {
      const bool is_searched = absl::c_linear_search(axes, axis);
      if (!is_searched) line.data += index[next] * source.strides[axis];
      if (!is_searched || keeps_axes) ++next;
    }
    const char* best = line.data;
    int64_t place = 0, found = 0;
    const absl::Status status = ForEachIndex(line, [&](const int64_t* at) {
      const char* const element = At(line, at);
      bool is_better = false;
      if (!IsNan(best, source.dtype)) {
        beats(element, best, reinterpret_cast<char*>(&is_better));
        is_better = is_better || IsNan(element, source.dtype);
      }
      if (is_better) best = element;
      if (is_better) found = place;
      ++place;
      return absl::OkStatus();
    });
    std::memcpy(At(places, index), &found, sizeof(found));
    return status;
  });
}

namespace {

// --- Places.

int64_t ReadInt(const char* element, DType dtype) {
  int64_t number;
  FindCastFn(dtype, DType::kInt64)(element, &number);
  return number;
}

int64_t BoundValue(const GatherPlan::Bound& bound, ResolveOperand resolve) {
  if (bound.number) return *bound.number;
  const StridedView view = resolve(bound.operand);
  return ReadInt(view.data, view.dtype);
}

// The elements of an axis that a slice takes, as PySlice_AdjustIndices counts them.
void Slice(const GatherPlan::Part& part, ResolveOperand resolve, char*& data, int64_t& size,
           int64_t& stride) {
  const int64_t least = part.step < 0 ? -1 : 0, most = part.step < 0 ? size - 1 : size;
  const auto bound = [&](const std::optional<GatherPlan::Bound>& given, int64_t without) {
    if (!given) return without;
    const int64_t value = BoundValue(*given, resolve);
    return value < 0 ? std::max(value + size, least) : std::min(value, most);
  };
  const int64_t from = bound(part.from, part.step < 0 ? most : least);
  const int64_t to = bound(part.to, part.step < 0 ? least : most);
  const int64_t length = part.step < 0 ? from - to : to - from;
  const int64_t step = part.step < 0 ? -part.step : part.step;
  size = length <= 0 ? 0 : (length - 1) / step + 1;
  if (size > 0) data += from * stride;
  stride *= size > 1 ? part.step : 1;
}

// `source` seen as the plan's parts and new axes say.
StridedView TargetOf(const GatherPlan& plan, ResolveOperand resolve, const StridedView& source) {
  StridedView target = source;
  target.rank = 0;
  int axis = 0;  // of the source
  auto part = plan.parts.begin();
  while (axis < source.rank || part != plan.parts.end()) {
    const bool has_part = part != plan.parts.end() && part->axis == target.rank;
    const bool is_new = has_part && part->is_new;
    int64_t& size = target.shape[target.rank];
    int64_t& stride = target.strides[target.rank++];
    size = is_new ? 1 : source.shape[axis];
    stride = is_new ? 0 : source.strides[axis];
    if (has_part && !is_new) Slice(*part, resolve, target.data, size, stride);
    axis += is_new ? 0 : 1;
    if (has_part) ++part;
  }
  return target;
}

// Where the elements are: indices as views, which broadcast to `shape`.
struct FoundPlaces {
  StridedView target;
  std::vector<StridedView> indices;  // by the plan's
  StridedView shape;                 // of the elements; no data
};

// Sees `view` with the axes of `shape` from `first` on, `rank` of them.
absl::Status Broadcast(const StridedView& shape, int first, int rank, StridedView& view) {
  StridedView wide = view;
  wide.rank = rank;
  for (int axis = 0; axis < rank; ++axis) {
    const int own = axis - (rank - view.rank);
    wide.shape[axis] = shape.shape[first + axis];
    const bool repeats = own < 0 || (view.shape[own] == 1 && wide.shape[axis] != 1);
    wide.strides[axis] = repeats ? 0 : view.strides[own];
    if (own >= 0 && !repeats && view.shape[own] != wide.shape[axis]) {
      return absl::AbortedError("indices, or a value, that do not broadcast to their places");
    }
  }
  view = wide;
  return absl::OkStatus();
}

// Lets size become what it and another broadcast to; Broadcast finds those that do not.
void JoinSize(int64_t other, int64_t& size) {
  if (size == 1) size = other;
}

StridedView ViewOf(const GatherPlan::Index& index, ResolveOperand resolve) {
  if (!index.number && index.numbers.empty()) return resolve(index.operand);
  const int64_t* const data = index.number ? &*index.number : index.numbers.data();
  StridedView view;
  view.dtype = DType::kInt64;
  view.data = const_cast<char*>(reinterpret_cast<const char*>(data));
  view.rank = index.number ? 0 : 1;
  if (view.rank == 1) view.shape[0] = static_cast<int64_t>(index.numbers.size());
  SetContiguousStrides(view);
  return view;
}

// The shape of the elements where one index goes along an axis: other axes broadcast.
absl::Status ShapeAlong(const GatherPlan& plan, const StridedView& target, StridedView& shape) {
  for (int axis = 0; axis < target.rank; ++axis) {
    if (axis == plan.indices[0].axis) continue;
    JoinSize(target.shape[axis], shape.shape[axis]);
    if (target.shape[axis] != 1 && target.shape[axis] != shape.shape[axis]) {
      return absl::AbortedError("indices that do not broadcast to the array");
    }
  }
  return absl::OkStatus();
}

// The shape of the elements otherwise: the target's without its indexed axes, and `indices` among
// them.
StridedView ShapeOf(const GatherPlan& plan, const StridedView& target, const StridedView& indices) {
  StridedView shape;
  shape.rank = 0;
  const auto add_indices = [&] {
    if (shape.rank != plan.place || plan.index_rank == 0) return;
    std::copy_n(indices.shape, indices.rank, shape.shape + shape.rank);
    shape.rank += indices.rank;
  };
  add_indices();
  for (int axis = 0; axis < target.rank; ++axis) {
    const bool is_indexed = absl::c_any_of(
        plan.indices, [axis](const GatherPlan::Index& index) { return index.axis == axis; });
    if (is_indexed) continue;
    shape.shape[shape.rank++] = target.shape[axis];
    if (plan.place > 0) add_indices();
  }
  return shape;
}

absl::StatusOr<FoundPlaces> FindPlaces(const GatherPlan& plan, ResolveOperand resolve,
                                       const StridedView& source) {
  FoundPlaces places;
  places.target = TargetOf(plan, resolve, source);
  StridedView indices;  // the shape that they broadcast to
  indices.rank = plan.index_rank;
  std::fill_n(indices.shape, indices.rank, 1);
  for (const GatherPlan::Index& index : plan.indices) {
    const StridedView& view = places.indices.emplace_back(ViewOf(index, resolve));
    for (int i = 0; i < view.rank; ++i) {
      JoinSize(view.shape[i], indices.shape[indices.rank - view.rank + i]);
    }
  }
  if (plan.is_along) {
    places.shape = indices;
    DYNACC_RETURN_IF_ERROR(ShapeAlong(plan, places.target, places.shape));
  } else {
    places.shape = ShapeOf(plan, places.target, indices);
  }
  const int first = plan.is_along ? 0 : plan.place;
  for (StridedView& view : places.indices) {
    DYNACC_RETURN_IF_ERROR(Broadcast(places.shape, first, plan.index_rank, view));
  }
  return places;
}

// The element at `index` of the places' shape.
absl::StatusOr<char*> ElementAt(const GatherPlan& plan, const FoundPlaces& places,
                                const int64_t* index) {
  const StridedView& target = places.target;
  char* element = target.data;
  const int64_t* const of_indices = index + (plan.is_along ? 0 : plan.place);
  int next = 0;  // axis of `index` that is the next whole axis's
  auto indexed = plan.indices.begin();
  for (int axis = 0; axis < target.rank; ++axis) {
    if (indexed != plan.indices.end() && indexed->axis == axis) {
      const StridedView& view = places.indices[indexed++ - plan.indices.begin()];
      const int64_t given = ReadInt(At(view, of_indices), view.dtype), size = target.shape[axis];
      if (given < -size || given >= size) {
        return BeyondArray(given, size);
      }
      element += (given < 0 ? given + size : given) * target.strides[axis];
      next += plan.is_along ? 1 : 0;
      continue;
    }
    if (!plan.is_along && next == plan.place) next += plan.index_rank;
    const int64_t at = index[next++];
    element += (plan.is_along && target.shape[axis] == 1 ? 0 : at) * target.strides[axis];
  }
  return element;
}

absl::Status CheckShape(const StridedView& expected, const StridedView& out) {
  const bool same = expected.rank == out.rank &&
                    std::equal(expected.shape, expected.shape + expected.rank, out.shape);
  return same ? absl::OkStatus() : absl::AbortedError("elements of another shape than expected");
}

}  // namespace

absl::Status GatherElements(const GatherPlan& plan, ResolveOperand resolve,
                            const StridedView& out) {
  DYNACC_ASSIGN_OR_RETURN(const FoundPlaces places,
                          FindPlaces(plan, resolve, resolve(plan.source)));
  DYNACC_RETURN_IF_ERROR(CheckShape(places.shape, out));
  return ForEachIndex(out, [&](const int64_t* index) -> absl::Status {
    DYNACC_ASSIGN_OR_RETURN(const char* const element, ElementAt(plan, places, index));
    std::memcpy(At(out, index), element, ItemSize(out.dtype));
    return absl::OkStatus();
  });
}

absl::Status ScatterElements(const ScatterPlan& plan, ResolveOperand resolve,
                             const StridedView& out) {
  CopyElements(resolve(plan.places.source), out);
  DYNACC_ASSIGN_OR_RETURN(const FoundPlaces places, FindPlaces(plan.places, resolve, out));
  ElementCell number = plan.number.value_or(ElementCell());
  StridedView value;
  value.dtype = out.dtype;
  value.data = number.bytes;
  if (!plan.number) value = resolve(plan.value);
  DYNACC_RETURN_IF_ERROR(Broadcast(places.shape, 0, places.shape.rank, value));
  std::optional<BinaryOp> combine;
  if (plan.op) combine.emplace(*plan.op, out.dtype);
  if (combine && !combine->is_defined()) return Undefined(*plan.op, out.dtype);
  return ForEachIndex(places.shape, [&](const int64_t* index) -> absl::Status {
    DYNACC_ASSIGN_OR_RETURN(char* const element, ElementAt(plan.places, places, index));
    if (combine) {
      (*combine)(element, At(value, index), element);
    } else {
      std::memcpy(element, At(value, index), ItemSize(out.dtype));
    }
    return absl::OkStatus();
  });
}

int64_t CountTrue(const StridedView& mask) {
  int64_t count = 0;
  ForEachIndex(mask, [&](const int64_t* index) {
    count += *At(mask, index) != 0 ? 1 : 0;
    return absl::OkStatus();
  }).IgnoreError();
  return count;
}

absl::Status CompressRows(const StridedView& source, const StridedView& mask,
                          const StridedView& out) {
  const bool fits = mask.rank <= source.rank &&
                    std::equal(mask.shape, mask.shape + mask.rank, source.shape) &&
                    out.rank == source.rank - mask.rank + 1 &&
                    std::equal(out.shape + 1, out.shape + out.rank, source.shape + mask.rank);
  if (!fits) return absl::AbortedError("a mask of another shape than the array");
  if (CountTrue(mask) != out.shape[0]) return absl::AbortedError("another number of rows");
  StridedView from = source, to = out;
  from.rank = to.rank = out.rank - 1;
  std::copy_n(source.shape + mask.rank, from.rank, from.shape);
  std::copy_n(source.strides + mask.rank, from.rank, from.strides);
  std::copy_n(from.shape, to.rank, to.shape);
  std::copy_n(out.strides + 1, to.rank, to.strides);
  return ForEachIndex(mask, [&](const int64_t* index) {
    if (*At(mask, index) == 0) return absl::OkStatus();
    from.data = source.data;
    for (int axis = 0; axis < mask.rank; ++axis) from.data += index[axis] * source.strides[axis];
    CopyElements(from, to);
    to.data += out.strides[0];
    return absl::OkStatus();
  });
}

namespace {

// --- Steps.

class ElementStep : public Step {
 public:
  using Compute = std::function<absl::Status(RunFrame& frame)>;
  explicit ElementStep(Compute compute) : compute_(std::move(compute)) {}
  absl::Status Run(RunFrame& frame) const override { return compute_(frame); }

 private:
  Compute compute_;
};

StridedView Resolved(const RunFrame& frame, const OperandPlan& operand) {
  StridedView storage;
  return frame.Resolve(operand, storage);
}

// Allocates the result and has `compute` fill it.
template <typename Function>
absl::Status Fill(RunFrame& frame, int output, Function compute) {
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output));
  const StridedView& out = frame.view(output);
  const int64_t bytes = out.size() * ItemSize(out.dtype);
  frame.CountLaunch(bytes, bytes);
  return compute(out);
}

}  // namespace

template <>
absl::Status ElementScanStep::Run(RunFrame& frame) const {
  return Fill(frame, plan_.output, [&](const StridedView& out) {
    return ScanElements(plan_.op, Resolved(frame, plan_.source), plan_.axis, out);
  });
}

template <>
absl::Status ElementExtremesStep::Run(RunFrame& frame) const {
  return Fill(frame, plan_.output, [&](const StridedView& out) {
    return FindExtremes(plan_.op, Resolved(frame, plan_.source), plan_.axes, out);
  });
}

template <>
absl::Status ElementGatherStep::Run(RunFrame& frame) const {
  const auto resolve = [&](const OperandPlan& operand) { return Resolved(frame, operand); };
  return Fill(frame, plan_.output,
              [&](const StridedView& out) { return GatherElements(plan_, resolve, out); });
}

template <>
absl::Status ElementScatterStep::Run(RunFrame& frame) const {
  const auto resolve = [&](const OperandPlan& operand) { return Resolved(frame, operand); };
  return Fill(frame, plan_.places.output,
              [&](const StridedView& out) { return ScatterElements(plan_, resolve, out); });
}

std::unique_ptr<Step> MakeElementCompress(OperandPlan source, OperandPlan mask, int output,
                                          ScalarId defined) {
  return std::make_unique<ElementStep>(
      [source = std::move(source), mask = std::move(mask), output, defined](RunFrame& frame) {
        const StridedView bits = Resolved(frame, mask);
        if (defined != kNoScalar) {
          DYNACC_RETURN_IF_ERROR(frame.DefineSize(defined, CountTrue(bits)));
        }
        return Fill(frame, output, [&](const StridedView& out) {
          return CompressRows(Resolved(frame, source), bits, out);
        });
      });
}

std::unique_ptr<Step> MakeAbort(std::string reason) {
  return std::make_unique<ElementStep>(
      [reason = std::move(reason)](RunFrame&) { return absl::AbortedError(reason); });
}

}  // namespace dynacc::executor
