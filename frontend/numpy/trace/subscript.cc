#include "frontend/numpy/trace/subscript.h"

#include <optional>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/data_dependent_place.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/slice_bounds.h"
#include "frontend/numpy/trace/views.h"
#include "frontend/symbolic/slice_parts.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// What one item of a key does to the axes.
enum class KeyKind { kInt, kSlice, kNewAxis, kEllipsis, kOther };

struct KeyItem {
  KeyKind kind;
  symbolic::Value* value = nullptr;
};

BorrowedRef ConstantOf(const symbolic::Value* value) {
  return value->kind() == symbolic::ValueKind::kConstant
             ? static_cast<const symbolic::ConstantValue*>(value)->object.get()
             : nullptr;
}

KeyKind KindOf(symbolic::Value* value) {
  if (IsKnownInt(value)) return KeyKind::kInt;
  if (value->kind() == symbolic::ValueKind::kSlice) return KeyKind::kSlice;
  if (value->kind() == symbolic::ValueKind::kNumber) {
    const auto* number = static_cast<const symbolic::NumberValue*>(value);
    return number->type == ScalarType::kInt ? KeyKind::kInt : KeyKind::kOther;
  }
  BorrowedRef object = ConstantOf(value);
  if (object == nullptr) return KeyKind::kOther;
  if (object == Py_None) return KeyKind::kNewAxis;
  if (object == Py_Ellipsis) return KeyKind::kEllipsis;
  if (PySlice_Check(object)) return KeyKind::kSlice;
  return PyLong_CheckExact(object) ? KeyKind::kInt : KeyKind::kOther;
}

// The items of the key, with one Ellipsis that stands for the axes not named.
absl::StatusOr<std::vector<KeyItem>> ItemsOfKey(symbolic::TraceContext& trace,
                                                symbolic::Value* key) {
  std::vector<KeyItem> items;
  bool has_ellipsis = false;
  const bool is_list = key->kind() == symbolic::ValueKind::kList;
  const auto values = is_list ? std::nullopt : ItemsOf(trace, key);
  for (symbolic::Value* value : values ? *values : std::vector<symbolic::Value*>{key}) {
    const KeyKind kind = KindOf(value);
    if (kind == KeyKind::kOther)
      return symbolic::GraphBreak("indexing with an array or another object");
    if (kind == KeyKind::kEllipsis && has_ellipsis)
      return symbolic::GraphBreak("a key with two ellipses");
    has_ellipsis = has_ellipsis || kind == KeyKind::kEllipsis;
    items.push_back({kind, value});
  }
  if (!has_ellipsis) items.push_back({KeyKind::kEllipsis});
  return items;
}

// Builds the View: what each item does to the next axes of the operand.
class ViewBuilder {
 public:
  ViewBuilder(symbolic::TraceContext& trace, NumpyTensor* a)
      : trace_(trace), a_(a), c_order_(a->c_order), zero_(ConstantSize(trace, 0)) {}

  absl::Status Add(const KeyItem& item, int unnamed_axes) {
    if (item.kind == KeyKind::kInt) return AddInt(item.value);
    if (item.kind == KeyKind::kSlice) return AddSlice(item.value);
    if (item.kind == KeyKind::kNewAxis) {
      AddAxis(-1, ConstantSize(trace_, 1), zero_);
      return absl::OkStatus();
    }
    for (int i = 0; i < unnamed_axes; ++i) AddWhole();
    return absl::OkStatus();
  }

  const ir::Node* Finish() {
    return trace_.graph().View(a_->node, shape_.ids, axes_, starts_, steps_);
  }
  const Shape& shape() const { return shape_; }
  const COrder& c_order() const { return c_order_; }

 private:
  int next_axis() const { return static_cast<int>(starts_.size()); }

  void AddAxis(int64_t axis, Size size, Size step) {
    axes_.push_back(axis);
    steps_.push_back(step.id);
    shape_.push_back(size);
  }

  void AddWhole() {
    AddAxis(next_axis(), SizeOf(a_, next_axis()), ConstantSize(trace_, 1));
    starts_.push_back(zero_.id);
    leading_ = false;
  }

  absl::Status AddInt(symbolic::Value* value) {
    DYNACC_ASSIGN_OR_RETURN(Size index, SizeFrom(trace_, value));
    const Size size = SizeOf(a_, next_axis());
    if (trace_.IsDataDependent(index.id)) return AddDataDependentInt(index, size);
    if (IsLess(trace_, index, zero_)) {
      index = Apply(trace_, ScalarOp::kSub, size, Negate(trace_, index));
    }
    if (IsLess(trace_, index, zero_) || !IsLess(trace_, index, size)) {
      return symbolic::RaisingBreak("an index out of bounds");
    }
    AddIndex(index);
    return absl::OkStatus();
  }

  // That it is in range is for the run to say.
  absl::Status AddDataDependentInt(Size index, Size size) {
    const bool may_fit = TakeForGranted(trace_, ScalarOp::kLe, zero_, index) &&
                         TakeForGranted(trace_, ScalarOp::kLt, index, size);
    if (!may_fit) return symbolic::RaisingBreak("an index out of bounds");
    AddIndex(index);
    return absl::OkStatus();
  }

  void AddIndex(Size index) {
    starts_.push_back(index.id);
    if (!leading_) c_order_ = std::nullopt;
  }

  absl::Status AddSlice(symbolic::Value* value) {
    const symbolic::SliceValue* slice = SliceFrom(trace_, value);
    const Size size = SizeOf(a_, next_axis());
    DYNACC_ASSIGN_OR_RETURN(const SliceBounds bounds,
                            BoundsOf(trace_, slice->start, slice->stop, slice->step, size));
    const bool is_whole = bounds.start.id == zero_.id && bounds.length.id == size.id;
    // Of a contiguous array only a run of the outermost axis that is left is contiguous.
    if (bounds.step != 1 || (!leading_ && !is_whole)) c_order_ = std::nullopt;
    AddAxis(next_axis(), bounds.length, ConstantSize(trace_, bounds.step));
    starts_.push_back(bounds.start.id);
    leading_ = false;
    return absl::OkStatus();
  }

  symbolic::TraceContext& trace_;
  NumpyTensor* a_;
  COrder c_order_;
  Size zero_;
  bool leading_ = true;  // only ints and new axes so far
  Shape shape_;
  std::vector<int64_t> axes_;
  std::vector<ScalarId> starts_;
  std::vector<ScalarId> steps_;
};

}  // namespace

absl::StatusOr<SubscriptedPart> PartAt(symbolic::TraceContext& trace, NumpyTensor* a,
                                       symbolic::Value* key) {
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  DYNACC_ASSIGN_OR_RETURN(const auto items, ItemsOfKey(trace, key));
  int named = 0;
  bool only_ints = true;
  for (const KeyItem& item : items) {
    if (item.kind == KeyKind::kInt || item.kind == KeyKind::kSlice) ++named;
    // The Ellipsis without a value is ours, not the program's.
    if (item.kind != KeyKind::kInt && item.value != nullptr) only_ints = false;
  }
  const int unnamed = a->node->rank() - named;
  if (unnamed < 0) return symbolic::RaisingBreak("a key with too many indices");
  ViewBuilder builder(trace, a);
  for (const KeyItem& item : items) {
    DYNACC_RETURN_IF_ERROR(builder.Add(item, unnamed));
  }
  if (builder.shape().rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  const ir::Node* node = builder.Finish();
  return SubscriptedPart{node, builder.shape(), builder.c_order(), only_ints && unnamed == 0};
}

absl::StatusOr<SubscriptedPart> PartAtPlaces(symbolic::TraceContext& trace, NumpyTensor* a,
                                             symbolic::Value* key) {
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * placed, KeyWithPlaces(trace, a, key));
  return PartAt(trace, a, placed);
}

absl::StatusOr<symbolic::Value*> ViewAtPlaces(symbolic::TraceContext& trace, NumpyTensor* a,
                                              symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(const SubscriptedPart part, PartAtPlaces(trace, a, key));
  return NewViewTensor(trace, a, part.node, part.shape, part.c_order);
}

namespace {

// scalar[..., None] and the like: a view of an array of rank 0 that is made of the scalar.
absl::StatusOr<symbolic::Value*> SubscriptOfScalar(symbolic::TraceContext& trace, NumpyTensor* a,
                                                   symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(const auto items, ItemsOfKey(trace, key));
  int rank = 0;
  for (const KeyItem& item : items) {
    if (item.kind == KeyKind::kNewAxis) ++rank;
    if (item.kind != KeyKind::kNewAxis && item.kind != KeyKind::kEllipsis) return RequireArray(a);
  }
  if (rank == 0 || rank > kMaxRank) return RequireArray(a);
  NumpyTensor* const array =
      NewTensor(trace, trace.graph().Copied(Op::kCOrder, a->node), Shape(), COrder(std::in_place),
                /*scalar_if_rank_0=*/false);
  DYNACC_ASSIGN_OR_RETURN(const SubscriptedPart part, PartAt(trace, array, key));
  return NewViewTensor(trace, array, part.node, part.shape, part.c_order);
}

}  // namespace

absl::StatusOr<symbolic::Value*> NumpySubscript(symbolic::TraceContext& trace, NumpyTensor* a,
                                                symbolic::Value* key) {
  if (a->is_scalar) return SubscriptOfScalar(trace, a, key);
  DYNACC_ASSIGN_OR_RETURN(const SubscriptedPart part, PartAt(trace, a, key));
  if (part.is_item) return NewTensor(trace, part.node, Shape(), COrder(std::in_place));
  return NewViewTensor(trace, a, part.node, part.shape, part.c_order);
}

}  // namespace dynacc::numpy
