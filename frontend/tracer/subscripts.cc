// Reading, storing and deleting items.
#include <algorithm>

#include "frontend/cpython/name_lookup.h"
#include "frontend/symbolic/slice_parts.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/call_gradients.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/deques.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

struct SliceBounds {
  Py_ssize_t start, step, count;
};

// A slice with known bounds, of a sequence of that size.
absl::StatusOr<SliceBounds> Bounds(Tracer& tracer, const symbolic::SliceValue& slice, size_t size) {
  PyObject* parts[3];
  symbolic::Value* const values[3] = {slice.start, slice.stop, slice.step};
  for (int i = 0; i < 3; ++i) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer.Materialize(values[i]));
    auto* constant = symbolic::As<symbolic::ConstantValue>(value);
    if (constant == nullptr) return symbolic::GraphBreak("a slice of a list with changing bounds");
    parts[i] = constant->object.get();
  }
  Ref object = Ref::Steal(PySlice_New(parts[0], parts[1], parts[2]));
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(object.get(), &start, &stop, &step) < 0) {
    PyErr_Clear();
    return symbolic::RaisingBreak("a slice that raises");
  }
  const Py_ssize_t count =
      PySlice_AdjustIndices(static_cast<Py_ssize_t>(size), &start, &stop, step);
  return SliceBounds{start, step, count};
}

// The places that such a slice picks.
std::vector<int64_t> Places(const SliceBounds& bounds) {
  std::vector<int64_t> places;
  for (Py_ssize_t i = 0; i < bounds.count; ++i) places.push_back(bounds.start + i * bounds.step);
  return places;
}

absl::StatusOr<symbolic::Value*> SliceItems(Tracer& tracer, symbolic::Value* container,
                                            const symbolic::SliceValue& slice) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          SequenceItems(tracer, container));
  DYNACC_ASSIGN_OR_RETURN(const SliceBounds bounds, Bounds(tracer, slice, items.size()));
  const bool is_all = bounds.step == 1 && bounds.count == static_cast<Py_ssize_t>(items.size());
  if (IsPlainTuple(container) && is_all) return container;
  std::vector<symbolic::Value*> picked;
  for (const int64_t place : Places(bounds)) picked.push_back(items[place]);
  if (symbolic::As<symbolic::ListValue>(container))
    return tracer.trace().New<symbolic::ListValue>(std::move(picked));
  return tracer.trace().New<symbolic::TupleValue>(std::move(picked));
}

// list[a:b] = items; one with a step is left alone.
absl::Status StoreSlice(Tracer& tracer, symbolic::ListValue* list,
                        const symbolic::SliceValue& slice, symbolic::Value* iterable) {
  if (!IsNone(slice.step))
    return symbolic::GraphBreak("a store into a slice of a list with a step");
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          DrainIterator(tracer, iterable));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
  DYNACC_ASSIGN_OR_RETURN(const auto bounds, Bounds(tracer, slice, list->items.size()));
  const size_t first = static_cast<size_t>(bounds.start);
  const size_t last = first + static_cast<size_t>(bounds.count);
  return ReplaceItems(tracer, list, first, last, items);
}

absl::Status DeleteSlice(Tracer& tracer, symbolic::ListValue* list,
                         const symbolic::SliceValue& slice) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
  DYNACC_ASSIGN_OR_RETURN(const SliceBounds bounds, Bounds(tracer, slice, list->items.size()));
  std::vector<int64_t> places = Places(bounds);
  std::sort(places.begin(), places.end());
  return RemoveItems(tracer, list, places);
}

absl::StatusOr<symbolic::Value*> DictSubscript(Tracer& tracer, symbolic::DictValue* dict,
                                               symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, DictKey(tracer, key));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, DictItem(tracer, dict, name));
  if (item == nullptr) return RaiseKeyError(tracer, name);
  return item;
}

absl::StatusOr<symbolic::Value*> ConstantSubscript(Tracer& tracer, symbolic::Value* container,
                                                   symbolic::Value* key) {
  Ref item =
      Ref::Steal(PyObject_GetItem(symbolic::As<symbolic::ConstantValue>(container)->object.get(),
                                  symbolic::As<symbolic::ConstantValue>(key)->object.get()));
  if (!item) return tracer.RaiseCurrent("an index out of range");
  return tracer.ConstantSteal(item.Release());
}

bool IsConstantSequence(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr &&
         (IsPlainConstantValue(value) || PyRange_Check(constant->object.get()));
}

// C[key] of a class: types.GenericAlias and the like are left to Python.
absl::StatusOr<symbolic::Value*> ObjectSubscript(Tracer& tracer, symbolic::Value* container,
                                                 symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries,
                          EntriesBy(tracer, container, "__getitem__"));
  if (entries != nullptr) return EntrySubscript(tracer, container, entries, key);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method,
                          SpecialMethod(tracer, container, "__getitem__"));
  if (method == nullptr) return symbolic::GraphBreak("an item of an object");
  return tracer.CallNow(method, {key});
}

// The key of an array with the array scalars behind ints that only the run tells.
absl::StatusOr<symbolic::Value*> ArrayKey(Tracer& tracer, symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(key, tracer.MaterializeDeep(key));
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(key); tuple && tuple->cls == nullptr) {
    std::vector<symbolic::Value*> items = tuple->items;
    for (symbolic::Value*& item : items) {
      DYNACC_ASSIGN_OR_RETURN(item, ArrayKey(tracer, item));
    }
    return items == tuple->items ? key : tracer.trace().New<symbolic::TupleValue>(std::move(items));
  }
  DYNACC_ASSIGN_OR_RETURN(key, Settled(tracer, key));
  symbolic::TensorValue* const scalar = ScalarBehind(key);
  return scalar != nullptr && symbolic::As<symbolic::LazyValue>(key)->type == &PyLong_Type ? scalar
                                                                                           : key;
}

}  // namespace

absl::StatusOr<symbolic::Value*> Subscript(Tracer& tracer, symbolic::Value* container,
                                           symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(container, tracer.Materialize(container));
  if (IsSequence(container) || symbolic::As<symbolic::TensorValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(key, tracer.Materialize(key));
    DYNACC_ASSIGN_OR_RETURN(key, AsOperand(tracer, key, {"__index__"}));
  }
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(key, ArrayKey(tracer, key));
    tracer.trace().SetReadsSelected(tracer.ReadsSelected());
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item,
                            tracer.arrays().Subscript(tracer.trace(), tensor, key));
    if (auto* selection = symbolic::As<symbolic::SelectionValue>(item)) {
      selection->step = tracer.steps();
      tracer.trace().open_selections().push_back(selection);
    }
    return WithOperatorGradient(tracer, "getitem", item, {tensor, key});
  }
  DYNACC_ASSIGN_OR_RETURN(key, tracer.Materialize(key));
  if (IsConstantSequence(container) && IsPlainConstantValue(key)) {
    return ConstantSubscript(tracer, container, key);
  }
  if (IsSequence(container)) {
    if (auto* slice = symbolic::SliceFrom(tracer.trace(), key))
      return SliceItems(tracer, container, *slice);
    return SequenceItem(tracer, container, key);
  }
  if (auto* dict = symbolic::As<symbolic::DictValue>(container))
    return DictSubscript(tracer, dict, key);
  if (auto* deque = symbolic::As<symbolic::DequeValue>(container))
    return SubscriptDeque(tracer, deque, key);
  return ObjectSubscript(tracer, container, key);
}

absl::Status StoreSubscript(Tracer& tracer, symbolic::Value* container, symbolic::Value* key,
                            symbolic::Value* item) {
  DYNACC_ASSIGN_OR_RETURN(container, tracer.Materialize(container));
  DYNACC_ASSIGN_OR_RETURN(key, tracer.Materialize(key));
  if (IsSequence(container) || symbolic::As<symbolic::TensorValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(key, AsOperand(tracer, key, {"__index__"}));
  }
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(key, ArrayKey(tracer, key));
    DYNACC_ASSIGN_OR_RETURN(item, tracer.MaterializeDeep(item));
    DYNACC_ASSIGN_OR_RETURN(item, Settled(tracer, item));
    if (symbolic::TensorValue* scalar = ScalarBehind(item)) item = scalar;
    return tracer.arrays().StoreSubscript(tracer.trace(), tensor, key, item);
  }
  if (auto* dict = symbolic::As<symbolic::DictValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, DictKey(tracer, key));
    return SetDictItem(tracer, dict, name, item);
  }
  if (auto* list = symbolic::As<symbolic::ListValue>(container)) {
    if (auto* slice = symbolic::SliceFrom(tracer.trace(), key))
      return StoreSlice(tracer, list, *slice, item);
    if (auto* number = symbolic::As<symbolic::NumberValue>(key))
      return StoreAtNumber(tracer, list, number, item);
    DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * items, ItemsToChange(tracer, list));
    DYNACC_ASSIGN_OR_RETURN(const int64_t place, ItemIndex(tracer, key, items->size(),
                                                           "list assignment index out of range"));
    DYNACC_RETURN_IF_ERROR(LetGoOfItem(tracer, *list, place));
    (*items)[place] = item;
    return absl::OkStatus();
  }
  if (auto* deque = symbolic::As<symbolic::DequeValue>(container))
    return StoreDequeItem(tracer, deque, key, item);
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries,
                          EntriesBy(tracer, container, "__setitem__"));
  if (entries != nullptr) return StoreSubscript(tracer, entries, key, item);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method,
                          SpecialMethod(tracer, container, "__setitem__"));
  if (method == nullptr) return symbolic::GraphBreak("a store into an object");
  return tracer.CallNow(method, {key, item}).status();
}

absl::Status DeleteSubscript(Tracer& tracer, symbolic::Value* container, symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(container, tracer.Materialize(container));
  DYNACC_ASSIGN_OR_RETURN(key, tracer.Materialize(key));
  if (auto* dict = symbolic::As<symbolic::DictValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, DictKey(tracer, key));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, DictItem(tracer, dict, name));
    if (item == nullptr) return RaiseKeyError(tracer, name);
    return DeleteDictItem(tracer, dict, name);
  }
  if (auto* list = symbolic::As<symbolic::ListValue>(container)) {
    if (auto* slice = symbolic::SliceFrom(tracer.trace(), key))
      return DeleteSlice(tracer, list, *slice);
    DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * items, ItemsToChange(tracer, list));
    DYNACC_ASSIGN_OR_RETURN(const int64_t place, ItemIndex(tracer, key, items->size(),
                                                           "list assignment index out of range"));
    DYNACC_RETURN_IF_ERROR(LetGoOfItem(tracer, *list, place));
    items->erase(items->begin() + place);
    return absl::OkStatus();
  }
  if (auto* deque = symbolic::As<symbolic::DequeValue>(container))
    return StoreDequeItem(tracer, deque, key, nullptr);
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries,
                          EntriesBy(tracer, container, "__delitem__"));
  if (entries != nullptr) return DeleteSubscript(tracer, entries, key);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method,
                          SpecialMethod(tracer, container, "__delitem__"));
  if (method == nullptr) return symbolic::GraphBreak("a deletion of an item");
  return tracer.CallNow(method, {key}).status();
}

}  // namespace dynacc::tracer
