#include "frontend/numpy/trace/gather.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/data_dependent_calls.h"
#include "frontend/numpy/trace/known_int.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/number_calls.h"
#include "frontend/numpy/trace/slice_bounds.h"
#include "frontend/numpy/trace/subscript.h"
#include "frontend/symbolic/slice_parts.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// Also NumPy's, and those that arrays compute.
bool IsIntOf(symbolic::Value* value) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  if (tensor != nullptr) return tensor->is_scalar && IsInteger(tensor->node->dtype);
  auto* const computed = ScalarOfNumber(value);
  return computed != nullptr ? IsInteger(computed->node->dtype) : IsPlainInt(value);
}

// One item of the key: an index array (or an int, which broadcasts with them), a slice, or a new
// axis.
struct Item {
  int axes = 1;                // of the array that it is about; a mask's rank
  std::optional<Shape> index;  // of an index
  bool is_array = false;       // an index that is no plain int
  symbolic::TensorValue* tensor = nullptr;
  symbolic::Value* slice = nullptr;
  bool is_new_axis = false;
};

bool IsMask(const Item& item) {
  return item.tensor != nullptr && item.tensor->node->dtype == DType::kBool;
}

// The one mask of the key; null if there is none.
absl::StatusOr<Item*> MaskOf(symbolic::TraceContext& trace, const NumpyTensor* a,
                             std::vector<Item>& items) {
  Item* mask = nullptr;
  int axis = 0;
  for (Item& item : items) {
    if (IsMask(item)) {
      if (mask != nullptr) return symbolic::GraphBreak("a key with two masks");
      mask = &item;
      for (int i = 0; i < item.axes; ++i) {
        if (!IsEqual(trace, SizeOf(item.tensor, i), SizeOf(a, axis + i))) {
          return symbolic::RaisingBreak("a mask of another shape");
        }
      }
    }
    axis += item.is_new_axis ? 0 : item.axes;
  }
  return mask;
}

// Whether it is the slice of all elements.
bool IsWhole(const Item& item) {
  if (item.slice == nullptr) return false;
  const auto* slice = static_cast<symbolic::SliceValue*>(item.slice);
  return IsNone(slice->start) && IsNone(slice->stop) && IsNone(slice->step);
}

absl::StatusOr<Item> IndexItem(symbolic::TraceContext& trace, symbolic::Value* value) {
  Item item;
  if (symbolic::As<symbolic::TensorValue>(value) == nullptr && IsIntOf(value)) {
    item.index = Shape();
    return item;
  }
  item.is_array = true;
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) {
    if (tensor->node->dtype == DType::kBool && tensor->node->rank() > 0) {
      item.axes = tensor->node->rank();
      item.tensor = tensor;
      item.index.emplace();  // its size is data-dependent: see Gather
      return item;
    }
    if (!IsInteger(tensor->node->dtype)) return symbolic::GraphBreak("indexing with a mask");
    item.index = ShapeOf(tensor);
    item.tensor = tensor;
    return item;
  }
  auto* list = symbolic::As<symbolic::ListValue>(value);
  if (list == nullptr || list->open ||
      !std::all_of(list->items.begin(), list->items.end(), IsIntOf)) {
    return symbolic::GraphBreak("indexing with an array or another object");
  }
  item.index.emplace();
  item.index->push_back(ConstantSize(trace, static_cast<int64_t>(list->items.size())));
  return item;
}

absl::StatusOr<std::vector<Item>> ItemsOfKey(symbolic::TraceContext& trace, const NumpyTensor* a,
                                             symbolic::Value* key) {
  const bool is_list = key->kind() == symbolic::ValueKind::kList;
  const auto values = is_list ? std::nullopt : ItemsOf(trace, key);
  std::vector<Item> items;
  int named = 0;
  int ellipsis = -1;
  for (symbolic::Value* value : values ? *values : std::vector<symbolic::Value*>{key}) {
    auto* constant = symbolic::As<symbolic::ConstantValue>(value);
    Item item;
    if (constant != nullptr && constant->object.get() == Py_Ellipsis) {
      if (ellipsis >= 0) return symbolic::GraphBreak("a key with two ellipses");
      ellipsis = static_cast<int>(items.size());
      continue;
    }
    if (IsNone(value)) {
      item.is_new_axis = true;
    } else if (auto* slice = SliceFrom(trace, value)) {
      item.slice = slice;
    } else {
      DYNACC_ASSIGN_OR_RETURN(item, IndexItem(trace, value));
    }
    named += item.is_new_axis ? 0 : item.axes;
    items.push_back(std::move(item));
  }
  const int unnamed = a->node->rank() - named;
  if (unnamed < 0) return symbolic::RaisingBreak("a key with too many indices");
  Item whole;
  symbolic::Value* none = trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
  whole.slice = trace.New<symbolic::SliceValue>(none, none, none);
  items.insert(ellipsis < 0 ? items.end() : items.begin() + ellipsis, unnamed, whole);
  return items;
}

// Of indices that are out of range NumPy warns where they pick nothing because another part of the
// key does, and raises elsewhere.
absl::Status RequireElements(symbolic::TraceContext& trace, const Shape& part) {
  for (int axis = 0; axis < part.rank(); ++axis) {
    const Size size = part.at(axis);
    if (!trace.IsDataDependent(size.id) && IsEqual(trace, size, ConstantSize(trace, 0))) {
      return symbolic::GraphBreak("indices into no elements");
    }
  }
  return absl::OkStatus();
}

// The axes of the broadcast indices come where the indices stand, if they stand side by side; else
// they come first.
absl::StatusOr<Shape> ShapeOfResult(symbolic::TraceContext& trace, const NumpyTensor* a,
                                    absl::Span<const Item> items) {
  std::vector<Shape> indices;
  Shape result;
  int place = -1;
  bool apart = false;
  bool last_was_index = false;
  int axis = 0;
  for (const Item& item : items) {
    if (item.index) {
      if (place < 0) place = result.rank();
      apart = apart || (!indices.empty() && !last_was_index);
      indices.push_back(*item.index);
    } else if (item.is_new_axis) {
      result.push_back(ConstantSize(trace, 1));
    } else {
      const auto* slice = static_cast<symbolic::SliceValue*>(item.slice);
      DYNACC_ASSIGN_OR_RETURN(const SliceBounds bounds, BoundsOf(trace, slice->start, slice->stop,
                                                                 slice->step, SizeOf(a, axis)));
      result.push_back(bounds.length);
    }
    last_was_index = item.index.has_value();
    axis += item.is_new_axis ? 0 : item.axes;
  }
  DYNACC_ASSIGN_OR_RETURN(const Shape broadcast, BroadcastShapes(trace, indices));
  if (absl::c_any_of(indices, [](const Shape& index) { return ElementsOf(index) != 0; })) {
    DYNACC_RETURN_IF_ERROR(RequireElements(trace, result));
    if (indices.size() > 1) DYNACC_RETURN_IF_ERROR(RequireElements(trace, broadcast));
  }
  Shape whole;
  for (int d = 0; d <= result.rank(); ++d) {
    if (d == (apart ? 0 : place)) {
      for (int i = 0; i < broadcast.rank(); ++i) whole.push_back(broadcast.at(i));
    }
    if (d < result.rank()) whole.push_back(result.at(d));
  }
  return whole;
}

// Whether NumPy gathers into C order: the indices come first and go through memory in their order,
// and behind them so does the array.
bool GivesCOrder(symbolic::TraceContext& trace, NumpyTensor* a, absl::Span<const Item> items) {
  const auto is_index = [](const Item& item) { return item.index.has_value(); };
  const auto first_other = std::find_if_not(items.begin(), items.end(), is_index);
  if (first_other == items.begin() || std::any_of(first_other, items.end(), is_index)) return false;
  for (const Item& item : items) {
    const bool whole = item.index || IsWhole(item);
    const bool is_ordered = !item.tensor || IsMask(item) || item.tensor->node->rank() < 2 ||
                            RequireCOrder(trace, item.tensor);
    if (!whole || !is_ordered) return false;
  }
  return RequireCOrder(trace, a);
}

// operator.getitem. Not by a static's initialiser: an import may let other threads in, of which one
// would wait here for that initialiser, with the GIL.
BorrowedRef GetItemFunction() {
  static PyObject* function = nullptr;  // under the GIL
  if (function == nullptr) {
    Ref module = Ref::Steal(PyImport_ImportModule("_operator"));
    Ref found = module ? Ref::Steal(PyObject_GetAttrString(module.get(), "getitem")) : Ref();
    PyErr_Clear();
    if (function == nullptr) function = found.Release();
  }
  return function;
}

}  // namespace

absl::StatusOr<Shape> GatheredShape(symbolic::TraceContext& trace, NumpyTensor* a,
                                    symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Item> items, ItemsOfKey(trace, a, key));
  if (std::any_of(items.begin(), items.end(), IsMask))
    return symbolic::GraphBreak("indexing with a mask");
  return ShapeOfResult(trace, a, items);
}

namespace {

// NumPy turns a mask into the indices of what it selects, a data-dependent number of them.
absl::StatusOr<symbolic::Value*> GatherMasked(symbolic::TraceContext& trace, NumpyTensor* a,
                                              symbolic::Value* key, std::vector<Item>& items,
                                              Item& mask) {
  if (!trace.takes_data_dependent_sizes())
    return symbolic::GraphBreak("a size that only the run tells");
  symbolic::Value* const operands[] = {a, key};
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, GetItemFunction(), {operands, {}}));
  DataDependentResult result;
  result.size = SelectedBy(trace, mask.tensor->node, &result.defines);
  mask.index->push_back(result.size);
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, ShapeOfResult(trace, a, items));
  if (shape.rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  if (shape.ids.end() == std::find(shape.ids.begin(), shape.ids.end(), result.size.id)) {
    return symbolic::GraphBreak("a mask with another index");
  }
  result.items = {shape};
  traced.call.is_quiet = true;
  traced.call.gives_c_order = shape.rank() > 1 && GivesCOrder(trace, a, items);
  return EmitDataDependent(trace, std::move(traced), result);
}

}  // namespace

absl::StatusOr<symbolic::Value*> Gather(symbolic::TraceContext& trace, NumpyTensor* a,
                                        symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<Item> items, ItemsOfKey(trace, a, key));
  DYNACC_ASSIGN_OR_RETURN(Item* const mask, MaskOf(trace, a, items));
  if (mask != nullptr) return GatherMasked(trace, a, key, items, *mask);
  const bool has_array = std::any_of(items.begin(), items.end(), [](const Item& item) {
    return item.is_array && item.index->rank() > 0;
  });
  const bool all_indices =
      std::all_of(items.begin(), items.end(), [](const Item& item) { return item.index; });
  const bool one_element = all_indices && !items.empty();
  if (!has_array && !one_element) return ViewAtPlaces(trace, a, key);
  DYNACC_ASSIGN_OR_RETURN(const Shape shape, ShapeOfResult(trace, a, items));
  if (shape.rank() > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  symbolic::Value* const operands[] = {a, key};
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, GetItemFunction(), {operands, {}}));
  traced.call.is_quiet = true;  // elements are moved, nothing is computed
  traced.call.gives_c_order = shape.rank() > 1 && GivesCOrder(trace, a, items);
  return EmitKnown(trace, std::move(traced), a->node->dtype, shape);
}

}  // namespace dynacc::numpy
