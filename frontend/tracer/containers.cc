#include "frontend/tracer/containers.h"

#include <algorithm>

#include "frontend/cpython/finalizer.h"
#include "frontend/cpython/identity_key.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/cpython/ordered_dict.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr absl::string_view kStoredAtNumber = "a list with an item stored at a changing index";

const Source* ItemSource(Tracer& tracer, const ListValue& list, int64_t index) {
  return tracer.sources().Intern(SourceKind::kListItem, list.source(), index);
}

// An item counted from the end of an open list. Null: only its length could tell.
absl::StatusOr<Value*> ItemFromEnd(Tracer& tracer, ListValue& list, int64_t index) {
  if (!list.stores.empty()) return GraphBreak(kStoredAtNumber);
  const auto known = static_cast<int64_t>(list.items.size());
  if (index >= -known) return list.items[known + index];
  const int64_t from_end = index + known;
  const Source* source = ItemSource(tracer, list, from_end);
  BorrowedRef item = AccessSource(*source, list.object.get(), tracer.root().roots);
  if (item == nullptr) return GraphBreak("an index out of range");
  tracer.trace().AddGuard(GuardKind::kTypeIs, source, reinterpret_cast<PyObject*>(Py_TYPE(item)));
  return tracer.Lazy(item, source);
}

const Source* EntrySource(Tracer& tracer, const DictValue& dict, BorrowedRef key) {
  const SourceKind kind =
      PyUnicode_CheckExact(key) ? SourceKind::kDictItem : SourceKind::kDictKeyItem;
  return tracer.sources().Intern(kind, dict.source(), 0, key);
}

std::pair<Ref, Value*>* FindEntry(DictValue* dict, BorrowedRef key) {
  for (auto& entry : dict->items) {
    if (SameKey(entry.first.get(), key)) return &entry;
  }
  return nullptr;
}

// Whether the items of an existing list or tuple are those at the segment's start.
bool IsUnchanged(Value* sequence) {
  if (sequence->source() == nullptr) return false;
  auto* list = As<ListValue>(sequence);
  if (list == nullptr) return true;
  if (!list->stores.empty()) return false;
  return list->open ? list->items.empty() : list->items == list->original;
}

// An item at a place that differs from call to call: found anew at each.
absl::StatusOr<Value*> ItemAtNumber(Tracer& tracer, Value* sequence, const NumberValue& index) {
  auto* list = As<ListValue>(sequence);
  if (list != nullptr && !list->stores.empty() && list->stores.back().first->id == index.id) {
    return list->stores.back().second;
  }
  const Source* place = nullptr;
  int64_t plus = 0;
  if (index.type != ScalarType::kInt || !IsUnchanged(sequence) ||
      !tracer.trace().IsInputPlus(index.id, &place, &plus)) {
    return GraphBreak("an item at a changing index");
  }
  const Source* source = tracer.sources().Intern(SourceKind::kSequenceItemAt, sequence->source(),
                                                 plus, nullptr, place);
  BorrowedRef object = ResolveSource(*sequence->source(), tracer.root().roots);
  BorrowedRef item =
      object == nullptr ? nullptr : AccessSource(*source, object, tracer.root().roots);
  if (item == nullptr) return RaisingBreak("an index out of range");
  return tracer.Lazy(item, source);
}

// The keys of a dict, borrowed, as iteration gives them.
std::vector<BorrowedRef> KeysInOrder(BorrowedRef dict) {
  std::vector<BorrowedRef> keys;
  if (IsOrderedDict(dict)) {
    OrderedKeys ordered(dict);
    while (BorrowedRef key = ordered.Next()) keys.push_back(key);
    return keys;
  }
  PyObject *key, *item;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &key, &item)) keys.emplace_back(key);
  return keys;
}

// The value that an existing dict has at the segment's start, or null.
absl::StatusOr<Value*> StartItem(Tracer& tracer, DictValue* dict, BorrowedRef key) {
  const Source* source = EntrySource(tracer, *dict, key);
  BorrowedRef item = LookupPlainKey(dict->object.get(), key);
  if (item == Unreadable()) return GraphBreak("a dict with keys of other types");
  if (item != nullptr) return tracer.Lazy(item, source);
  tracer.trace().AddGuard(GuardKind::kAbsent, source);
  return nullptr;
}

// What an existing dict has under the key since before the segment loses its place there.
absl::Status LetGoOfEntry(Tracer& tracer, DictValue& dict, BorrowedRef key) {
  if (dict.written.Find(key) != nullptr) return absl::OkStatus();
  BorrowedRef item = LookupPlainKey(dict.object.get(), key);
  if (item == Unreadable()) return GraphBreak("a dict with keys of other types");
  return tracer.LetGo(EntrySource(tracer, dict, key), item);
}

}  // namespace

absl::Status KnowItems(Tracer& tracer, ListValue* list) {
  if (!list->open) return absl::OkStatus();
  if (!list->stores.empty()) return GraphBreak(kStoredAtNumber);
  BorrowedRef object = list->object.get();
  const Py_ssize_t size = PyList_GET_SIZE(object);
  if (size > kMaxKnownItems) return GraphBreak("the items of a long list");
  tracer.trace().AddGuard(GuardKind::kListLength, list->source(), nullptr, size);
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(tracer.Lazy(PyList_GET_ITEM(object, i), ItemSource(tracer, *list, i)));
  }
  list->original = items;
  items.insert(items.end(), list->items.begin(), list->items.end());
  list->items = std::move(items);
  list->open = false;
  return absl::OkStatus();
}

absl::Status KnowItems(Tracer& tracer, DictValue* dict) {
  if (!dict->open) return absl::OkStatus();
  const Py_ssize_t size = PyDict_GET_SIZE(dict->object.get());
  if (size > kMaxKnownItems) return GraphBreak("the items of a long dict");
  const std::vector<BorrowedRef> in_order = KeysInOrder(dict->object.get());
  if (static_cast<Py_ssize_t>(in_order.size()) != size) return GraphBreak("such an OrderedDict");
  Ref keys = Ref::Steal(PyTuple_New(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    BorrowedRef key = in_order[i];
    const ConstantValue constant(Ref::New(key));
    if (!IsPlainConstantValue(&constant) || HasNan(key)) {
      return GraphBreak("a dict with keys of other types");
    }
    PyTuple_SET_ITEM(keys.get(), i, Py_NewRef(key));
    BorrowedRef item = LookupPlainKey(dict->object.get(), key);
    if (item == nullptr || item == Unreadable()) {
      return GraphBreak("a dict with keys of other types");
    }
    dict->items.emplace_back(Ref::New(key), tracer.Lazy(item, EntrySource(tracer, *dict, key)));
  }
  tracer.trace().AddGuard(GuardKind::kDictKeys, dict->source(), keys.get());
  dict->open = false;
  for (const Overlay::Write& write : dict->written.writes()) {
    auto* entry = FindEntry(dict, write.key.get());
    if (write.value == nullptr) {
      if (entry != nullptr) dict->items.erase(dict->items.begin() + (entry - dict->items.data()));
    } else if (entry != nullptr) {
      entry->second = write.value;
    } else {
      dict->items.emplace_back(write.key, write.value);
    }
  }
  return absl::OkStatus();
}

bool IsSequence(Value* value) {
  auto* constant = As<ConstantValue>(value);
  return As<TupleValue>(value) || As<ListValue>(value) ||
         (constant != nullptr && PyTuple_CheckExact(constant->object.get()));
}

bool IsPlainTuple(Value* value) {
  if (auto* tuple = As<TupleValue>(value)) return tuple->cls == nullptr;
  return IsSequence(value) && !As<ListValue>(value);
}

absl::StatusOr<std::vector<Value*>> SequenceItems(Tracer& tracer, Value* sequence) {
  if (auto* tuple = As<TupleValue>(sequence)) return tuple->items;
  if (auto* list = As<ListValue>(sequence)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
    return list->items;
  }
  auto* constant = As<ConstantValue>(sequence);
  if (constant == nullptr || !PyTuple_CheckExact(constant->object.get())) {
    return GraphBreak("an iterable whose items are not known");
  }
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant->object.get()); ++i) {
    items.push_back(tracer.Constant(PyTuple_GET_ITEM(constant->object.get(), i)));
  }
  return items;
}

absl::StatusOr<std::vector<Value*>*> ItemsToChange(Tracer& tracer, ListValue* list) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
  tracer.NoteChange(list);
  return &list->items;
}

absl::Status LetGoOfItem(Tracer& tracer, const ListValue& list, int64_t place) {
  auto* item = As<ObjectValue>(list.items[place]);
  if (list.source() == nullptr || item == nullptr) return absl::OkStatus();
  return tracer.LetGo(item->source(), item->object.get());
}

absl::Status ReplaceItems(Tracer& tracer, ListValue* list, size_t first, size_t last,
                          const std::vector<Value*>& items) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> * now, ItemsToChange(tracer, list));
  for (size_t i = first; i < last; ++i) {
    DYNACC_RETURN_IF_ERROR(LetGoOfItem(tracer, *list, static_cast<int64_t>(i)));
  }
  const auto begin = now->begin() + static_cast<int64_t>(first);
  now->erase(begin, now->begin() + static_cast<int64_t>(std::max(first, last)));
  now->insert(now->begin() + static_cast<int64_t>(first), items.begin(), items.end());
  return absl::OkStatus();
}

absl::Status RemoveItems(Tracer& tracer, ListValue* list, const std::vector<int64_t>& places) {
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const auto at = static_cast<size_t>(*place);
    DYNACC_RETURN_IF_ERROR(ReplaceItems(tracer, list, at, at + 1, {}));
  }
  return absl::OkStatus();
}

absl::Status StoreAtNumber(Tracer& tracer, ListValue* list, NumberValue* place, Value* item) {
  const bool fits = list->source() != nullptr && list->open && list->items.empty();
  if (!fits || place->type != ScalarType::kInt) return GraphBreak("an item at a changing index");
  const Py_ssize_t size = PyList_GET_SIZE(list->object.get());
  const Py_ssize_t now = place->hint.i < 0 ? place->hint.i + size : place->hint.i;
  if (now < 0 || now >= size) return RaisingBreak("an index out of range");
  if (!DiesQuietly(PyList_GET_ITEM(list->object.get(), now))) {
    return GraphBreak("an object whose end runs code loses a name");
  }
  list->stores.emplace_back(place, item);
  tracer.NoteChange(list);
  return absl::OkStatus();
}

void AppendToList(Tracer& tracer, ListValue* list, Value* item) {
  list->items.push_back(item);
  tracer.NoteChange(list);
}

absl::Status ExtendList(Tracer& tracer, ListValue* list, Value* iterable) {
  auto append = [&](Value* item) {
    AppendToList(tracer, list, item);
    return absl::OkStatus();
  };
  if (!IsSequence(iterable) && As<TensorValue>(iterable) == nullptr) {
    return ForEachListed(tracer, iterable, append);
  }
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Value*> items, Drain(tracer, iterable));
  for (Value* item : items) DYNACC_RETURN_IF_ERROR(append(item));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ItemIndex(Tracer& tracer, Value* index, size_t size, const char* message) {
  if (As<NumberValue>(index)) return GraphBreak("an item at a changing index");
  DYNACC_ASSIGN_OR_RETURN(int64_t place, tracer.trace().ConstantInt(index));
  if (place < 0) place += static_cast<int64_t>(size);
  if (place < 0 || place >= static_cast<int64_t>(size)) {
    return tracer.Raise(PyExc_IndexError, message, "an index out of range");
  }
  return place;
}

absl::StatusOr<Value*> SequenceItem(Tracer& tracer, Value* sequence, Value* index) {
  auto* list = As<ListValue>(sequence);
  if (auto* number = As<NumberValue>(index)) return ItemAtNumber(tracer, sequence, *number);
  if (list != nullptr && list->open && As<ConstantValue>(index)) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t place, tracer.trace().ConstantInt(index));
    if (place < 0) return ItemFromEnd(tracer, *list, place);
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, SequenceItems(tracer, sequence));
  DYNACC_ASSIGN_OR_RETURN(
      const int64_t place,
      ItemIndex(tracer, index, items.size(),
                list != nullptr ? "list index out of range" : "tuple index out of range"));
  return items[place];
}

namespace {

// The class, function or member of an enumeration, also of ints, that `value` always is; null for
// another value.
BorrowedRef IdentityKey(Tracer& tracer, Value* value) {
  if (auto* constant = As<ConstantValue>(value)) {
    return IsIdentityKey(constant->object.get()) ? constant->object.get() : nullptr;
  }
  if (value->source() == nullptr) return nullptr;
  BorrowedRef known = nullptr;
  if (auto* function = As<FunctionValue>(value)) known = function->function.get();
  if (auto* object = As<ObjectValue>(value)) known = object->object.get();
  if (known == nullptr) return nullptr;
  const bool may_be_key = IsIntMember(known) || ((PyFunction_Check(known) || IsEnumMember(known)) &&
                                                 IsIdentityKey(known));
  if (!may_be_key) return nullptr;
  tracer.trace().AddGuard(GuardKind::kIdentity, value->source(), known);
  return known;
}

}  // namespace

absl::StatusOr<BorrowedRef> DictKey(Tracer& tracer, Value* key) {
  DYNACC_ASSIGN_OR_RETURN(key, tracer.Materialize(key));
  DYNACC_ASSIGN_OR_RETURN(key, tracer.AsConstant(key));
  if (!IsPlainConstantValue(key)) {
    if (BorrowedRef known = IdentityKey(tracer, key)) return known;
    return GraphBreak("a dict key that is not a plain constant");
  }
  if (HasNan(As<ConstantValue>(key)->object.get())) return GraphBreak("a NaN as a dict key");
  return As<ConstantValue>(key)->object.get();
}

absl::StatusOr<Value*> DictItem(Tracer& tracer, DictValue* dict, BorrowedRef key) {
  if (!dict->open) {
    const auto* entry = FindEntry(dict, key);
    return entry == nullptr ? nullptr : entry->second;
  }
  if (const Overlay::Write* write = dict->written.Find(key)) return write->value;
  return StartItem(tracer, dict, key);
}

absl::Status SetDictItem(Tracer& tracer, DictValue* dict, BorrowedRef key, Value* item) {
  if (dict->source() != nullptr) {
    DYNACC_RETURN_IF_ERROR(LetGoOfEntry(tracer, *dict, key));
    tracer.NoteChange(dict);
    dict->written.Set(key, item);
    if (dict->open) return absl::OkStatus();
  }
  if (auto* entry = FindEntry(dict, key)) {
    entry->second = item;
  } else {
    dict->items.emplace_back(Ref::New(key), item);
  }
  return absl::OkStatus();
}

absl::Status DeleteDictItem(Tracer& tracer, DictValue* dict, BorrowedRef key) {
  if (dict->source() != nullptr) {
    BorrowedRef start = LookupPlainKey(dict->object.get(), key);
    if (start == Unreadable()) return GraphBreak("a dict with keys of other types");
    DYNACC_RETURN_IF_ERROR(LetGoOfEntry(tracer, *dict, key));
    tracer.NoteChange(dict);
    dict->written.Delete(key, start != nullptr);
    if (dict->open) {
      return start == nullptr ? absl::OkStatus() : StartItem(tracer, dict, key).status();
    }
  }
  auto* entry = FindEntry(dict, key);
  dict->items.erase(dict->items.begin() + (entry - dict->items.data()));
  return absl::OkStatus();
}

absl::Status RaiseKeyError(Tracer& tracer, BorrowedRef key) {
  auto* error = tracer.trace().New<InstanceValue>(tracer.Constant(PyExc_KeyError));
  error->args = tracer.trace().New<TupleValue>(std::vector<Value*>{tracer.Constant(key)});
  return tracer.Raise(error, "a key that the dict does not have");
}

}  // namespace dynacc
