#include "frontend/tracer/containers.h"

#include <algorithm>

#include "frontend/cpython/finalizer.h"
#include "frontend/cpython/identity_key.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/cpython/ordered_dict.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

constexpr absl::string_view kStoredAtNumber = "a list with an item stored at a changing index";

const sources::Source* ItemSource(Tracer& tracer, const symbolic::ListValue& list, int64_t index) {
  return tracer.sources().Intern(sources::SourceKind::kListItem, list.source(), index);
}

// An item counted from the end of an open list. Null: only its length could tell.
absl::StatusOr<symbolic::Value*> ItemFromEnd(Tracer& tracer, symbolic::ListValue& list,
                                             int64_t index) {
  if (!list.stores.empty()) return symbolic::GraphBreak(kStoredAtNumber);
  const auto known = static_cast<int64_t>(list.items.size());
  if (index >= -known) return list.items[known + index];
  const int64_t from_end = index + known;
  const sources::Source* source = ItemSource(tracer, list, from_end);
  BorrowedRef item = sources::AccessSource(*source, list.object.get(), tracer.root().roots);
  if (item == nullptr) return symbolic::GraphBreak("an index out of range");
  tracer.trace().AddGuard(guards::GuardKind::kTypeIs, source,
                          reinterpret_cast<PyObject*>(Py_TYPE(item)));
  return tracer.Lazy(item, source);
}

const sources::Source* EntrySource(Tracer& tracer, const symbolic::DictValue& dict,
                                   BorrowedRef key) {
  const sources::SourceKind kind = PyUnicode_CheckExact(key) ? sources::SourceKind::kDictItem
                                                             : sources::SourceKind::kDictKeyItem;
  return tracer.sources().Intern(kind, dict.source(), 0, key);
}

std::pair<Ref, symbolic::Value*>* FindEntry(symbolic::DictValue* dict, BorrowedRef key) {
  for (auto& entry : dict->items) {
    if (symbolic::SameKey(entry.first.get(), key)) return &entry;
  }
  return nullptr;
}

// Whether the items of an existing list or tuple are those at the segment's start.
bool IsUnchanged(symbolic::Value* sequence) {
  if (sequence->source() == nullptr) return false;
  auto* list = symbolic::As<symbolic::ListValue>(sequence);
  if (list == nullptr) return true;
  if (!list->stores.empty()) return false;
  return list->open ? list->items.empty() : list->items == list->original;
}

// An item at a place that differs from call to call: found anew at each.
absl::StatusOr<symbolic::Value*> ItemAtNumber(Tracer& tracer, symbolic::Value* sequence,
                                              const symbolic::NumberValue& index) {
  auto* list = symbolic::As<symbolic::ListValue>(sequence);
  if (list != nullptr && !list->stores.empty() && list->stores.back().first->id == index.id) {
    return list->stores.back().second;
  }
  const sources::Source* place = nullptr;
  int64_t plus = 0;
  if (index.type != ScalarType::kInt || !IsUnchanged(sequence) ||
      !tracer.trace().IsInputPlus(index.id, &place, &plus)) {
    return symbolic::GraphBreak("an item at a changing index");
  }
  const sources::Source* source = tracer.sources().Intern(sources::SourceKind::kSequenceItemAt,
                                                          sequence->source(), plus, nullptr, place);
  BorrowedRef object = sources::ResolveSource(*sequence->source(), tracer.root().roots);
  BorrowedRef item =
      object == nullptr ? nullptr : sources::AccessSource(*source, object, tracer.root().roots);
  if (item == nullptr) return symbolic::RaisingBreak("an index out of range");
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
absl::StatusOr<symbolic::Value*> StartItem(Tracer& tracer, symbolic::DictValue* dict,
                                           BorrowedRef key) {
  const sources::Source* source = EntrySource(tracer, *dict, key);
  BorrowedRef item = LookupPlainKey(dict->object.get(), key);
  if (item == Unreadable()) return symbolic::GraphBreak("a dict with keys of other types");
  if (item != nullptr) return tracer.Lazy(item, source);
  tracer.trace().AddGuard(guards::GuardKind::kAbsent, source);
  return nullptr;
}

// What an existing dict has under the key since before the segment loses its place there.
absl::Status LetGoOfEntry(Tracer& tracer, symbolic::DictValue& dict, BorrowedRef key) {
  if (dict.written.Find(key) != nullptr) return absl::OkStatus();
  BorrowedRef item = LookupPlainKey(dict.object.get(), key);
  if (item == Unreadable()) return symbolic::GraphBreak("a dict with keys of other types");
  return tracer.LetGo(EntrySource(tracer, dict, key), item);
}

}  // namespace

absl::Status KnowItems(Tracer& tracer, symbolic::ListValue* list) {
  if (!list->open) return absl::OkStatus();
  if (!list->stores.empty()) return symbolic::GraphBreak(kStoredAtNumber);
  BorrowedRef object = list->object.get();
  const Py_ssize_t size = PyList_GET_SIZE(object);
  if (size > kMaxKnownItems) return symbolic::GraphBreak("the items of a long list");
  tracer.trace().AddGuard(guards::GuardKind::kListLength, list->source(), nullptr, size);
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(tracer.Lazy(PyList_GET_ITEM(object, i), ItemSource(tracer, *list, i)));
  }
  list->original = items;
  items.insert(items.end(), list->items.begin(), list->items.end());
  list->items = std::move(items);
  list->open = false;
  return absl::OkStatus();
}

absl::Status KnowItems(Tracer& tracer, symbolic::DictValue* dict) {
  if (!dict->open) return absl::OkStatus();
  const Py_ssize_t size = PyDict_GET_SIZE(dict->object.get());
  if (size > kMaxKnownItems) return symbolic::GraphBreak("the items of a long dict");
  const std::vector<BorrowedRef> in_order = KeysInOrder(dict->object.get());
  if (static_cast<Py_ssize_t>(in_order.size()) != size)
    return symbolic::GraphBreak("such an OrderedDict");
  Ref keys = Ref::Steal(PyTuple_New(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    BorrowedRef key = in_order[i];
    const symbolic::ConstantValue constant(Ref::New(key));
    if (!IsPlainConstantValue(&constant) || HasNan(key)) {
      return symbolic::GraphBreak("a dict with keys of other types");
    }
    PyTuple_SET_ITEM(keys.get(), i, Py_NewRef(key));
    BorrowedRef item = LookupPlainKey(dict->object.get(), key);
    if (item == nullptr || item == Unreadable()) {
      return symbolic::GraphBreak("a dict with keys of other types");
    }
    dict->items.emplace_back(Ref::New(key), tracer.Lazy(item, EntrySource(tracer, *dict, key)));
  }
  tracer.trace().AddGuard(guards::GuardKind::kDictKeys, dict->source(), keys.get());
  dict->open = false;
  for (const symbolic::Overlay::Write& write : dict->written.writes()) {
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

bool IsSequence(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return symbolic::As<symbolic::TupleValue>(value) || symbolic::As<symbolic::ListValue>(value) ||
         (constant != nullptr && PyTuple_CheckExact(constant->object.get()));
}

bool IsPlainTuple(symbolic::Value* value) {
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value)) return tuple->cls == nullptr;
  return IsSequence(value) && !symbolic::As<symbolic::ListValue>(value);
}

absl::StatusOr<std::vector<symbolic::Value*>> SequenceItems(Tracer& tracer,
                                                            symbolic::Value* sequence) {
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(sequence)) return tuple->items;
  if (auto* list = symbolic::As<symbolic::ListValue>(sequence)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
    return list->items;
  }
  auto* constant = symbolic::As<symbolic::ConstantValue>(sequence);
  if (constant == nullptr || !PyTuple_CheckExact(constant->object.get())) {
    return symbolic::GraphBreak("an iterable whose items are not known");
  }
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant->object.get()); ++i) {
    items.push_back(tracer.Constant(PyTuple_GET_ITEM(constant->object.get(), i)));
  }
  return items;
}

absl::Status RequireItems(symbolic::Value* sequence, const std::vector<symbolic::Value*>& items) {
  auto* list = symbolic::As<symbolic::ListValue>(sequence);
  return list == nullptr || list->items == items
             ? absl::OkStatus()
             : symbolic::GraphBreak("a list that changes while its items are compared");
}

absl::StatusOr<std::vector<symbolic::Value*>*> ItemsToChange(Tracer& tracer,
                                                             symbolic::ListValue* list) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
  tracer.NoteChange(list);
  return &list->items;
}

absl::Status LetGoOfItem(Tracer& tracer, const symbolic::ListValue& list, int64_t place) {
  auto* item = symbolic::As<symbolic::ObjectValue>(list.items[place]);
  if (list.source() == nullptr || item == nullptr) return absl::OkStatus();
  return tracer.LetGo(item->source(), item->object.get());
}

absl::Status ReplaceItems(Tracer& tracer, symbolic::ListValue* list, size_t first, size_t last,
                          const std::vector<symbolic::Value*>& items) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * now, ItemsToChange(tracer, list));
  for (size_t i = first; i < last; ++i) {
    DYNACC_RETURN_IF_ERROR(LetGoOfItem(tracer, *list, static_cast<int64_t>(i)));
  }
  const auto begin = now->begin() + static_cast<int64_t>(first);
  now->erase(begin, now->begin() + static_cast<int64_t>(std::max(first, last)));
  now->insert(now->begin() + static_cast<int64_t>(first), items.begin(), items.end());
  return absl::OkStatus();
}

absl::Status RemoveItems(Tracer& tracer, symbolic::ListValue* list,
                         const std::vector<int64_t>& places) {
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const auto at = static_cast<size_t>(*place);
    DYNACC_RETURN_IF_ERROR(ReplaceItems(tracer, list, at, at + 1, {}));
  }
  return absl::OkStatus();
}

absl::Status StoreAtNumber(Tracer& tracer, symbolic::ListValue* list, symbolic::NumberValue* place,
                           symbolic::Value* item) {
  const bool fits = list->source() != nullptr && list->open && list->items.empty();
  if (!fits || place->type != ScalarType::kInt)
    return symbolic::GraphBreak("an item at a changing index");
  const Py_ssize_t size = PyList_GET_SIZE(list->object.get());
  const Py_ssize_t now = place->hint.i < 0 ? place->hint.i + size : place->hint.i;
  if (now < 0 || now >= size) return symbolic::RaisingBreak("an index out of range");
  if (!DiesQuietly(PyList_GET_ITEM(list->object.get(), now))) {
    return symbolic::GraphBreak("an object whose end runs code loses a name");
  }
  list->stores.emplace_back(place, item);
  tracer.NoteChange(list);
  return absl::OkStatus();
}

void AppendToList(Tracer& tracer, symbolic::ListValue* list, symbolic::Value* item) {
  list->items.push_back(item);
  tracer.NoteChange(list);
}

absl::Status ExtendList(Tracer& tracer, symbolic::ListValue* list, symbolic::Value* iterable) {
  auto append = [&](symbolic::Value* item) {
    AppendToList(tracer, list, item);
    return absl::OkStatus();
  };
  if (!IsSequence(iterable) && symbolic::As<symbolic::TensorValue>(iterable) == nullptr) {
    return ForEachListed(tracer, iterable, append);
  }
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items, Drain(tracer, iterable));
  for (symbolic::Value* item : items) DYNACC_RETURN_IF_ERROR(append(item));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ItemIndex(Tracer& tracer, symbolic::Value* index, size_t size,
                                  const char* message) {
  if (symbolic::As<symbolic::NumberValue>(index))
    return symbolic::GraphBreak("an item at a changing index");
  DYNACC_ASSIGN_OR_RETURN(int64_t place, tracer.trace().ConstantInt(index));
  if (place < 0) place += static_cast<int64_t>(size);
  if (place < 0 || place >= static_cast<int64_t>(size)) {
    return tracer.Raise(PyExc_IndexError, message, "an index out of range");
  }
  return place;
}

absl::StatusOr<symbolic::Value*> SequenceItem(Tracer& tracer, symbolic::Value* sequence,
                                              symbolic::Value* index) {
  auto* list = symbolic::As<symbolic::ListValue>(sequence);
  if (auto* number = symbolic::As<symbolic::NumberValue>(index))
    return ItemAtNumber(tracer, sequence, *number);
  if (list != nullptr && list->open && symbolic::As<symbolic::ConstantValue>(index)) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t place, tracer.trace().ConstantInt(index));
    if (place < 0) return ItemFromEnd(tracer, *list, place);
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> items, SequenceItems(tracer, sequence));
  DYNACC_ASSIGN_OR_RETURN(
      const int64_t place,
      ItemIndex(tracer, index, items.size(),
                list != nullptr ? "list index out of range" : "tuple index out of range"));
  return items[place];
}

namespace {

// The class, function or member of an enumeration, also of ints, that `value` always is; null for
// another value.
BorrowedRef IdentityKey(Tracer& tracer, symbolic::Value* value) {
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) {
    return IsIdentityKey(constant->object.get()) ? constant->object.get() : nullptr;
  }
  if (value->source() == nullptr) return nullptr;
  BorrowedRef known = nullptr;
  if (auto* function = symbolic::As<symbolic::FunctionValue>(value))
    known = function->function.get();
  if (auto* object = symbolic::As<symbolic::ObjectValue>(value)) known = object->object.get();
  if (known == nullptr) return nullptr;
  const bool may_be_key = IsIntMember(known) || ((PyFunction_Check(known) || IsEnumMember(known)) &&
                                                 IsIdentityKey(known));
  if (!may_be_key) return nullptr;
  tracer.trace().AddGuard(guards::GuardKind::kIdentity, value->source(), known);
  return known;
}

}  // namespace

absl::StatusOr<BorrowedRef> DictKey(Tracer& tracer, symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(key, tracer.Materialize(key));
  DYNACC_ASSIGN_OR_RETURN(key, tracer.AsConstant(key));
  if (!IsPlainConstantValue(key)) {
    if (BorrowedRef known = IdentityKey(tracer, key)) return known;
    return symbolic::GraphBreak("a dict key that is not a plain constant");
  }
  if (HasNan(symbolic::As<symbolic::ConstantValue>(key)->object.get()))
    return symbolic::GraphBreak("a NaN as a dict key");
  auto* const constant = symbolic::As<symbolic::ConstantValue>(key);
  if (!tracer.root().is_whole) tracer.trace().NoteKey(constant);
  return constant->object.get();
}

absl::StatusOr<symbolic::Value*> DictItem(Tracer& tracer, symbolic::DictValue* dict,
                                          BorrowedRef key) {
  if (!dict->open) {
    const auto* entry = FindEntry(dict, key);
    return entry == nullptr ? nullptr : entry->second;
  }
  if (const symbolic::Overlay::Write* write = dict->written.Find(key)) return write->value;
  return StartItem(tracer, dict, key);
}

absl::Status SetDictItem(Tracer& tracer, symbolic::DictValue* dict, BorrowedRef key,
                         symbolic::Value* item) {
  if (dict->source() != nullptr) {
    DYNACC_RETURN_IF_ERROR(LetGoOfEntry(tracer, *dict, key));
    tracer.NoteChange(dict);
    dict->written.Set(key, item);
    if (dict->open) return absl::OkStatus();
  }
  if (auto* entry = FindEntry(dict, key)) {
    entry->second = item;
  } else {
    ++dict->key_changes;
    dict->items.emplace_back(Ref::New(key), item);
  }
  return absl::OkStatus();
}

absl::Status DeleteDictItem(Tracer& tracer, symbolic::DictValue* dict, BorrowedRef key) {
  if (dict->source() != nullptr) {
    BorrowedRef start = LookupPlainKey(dict->object.get(), key);
    if (start == Unreadable()) return symbolic::GraphBreak("a dict with keys of other types");
    DYNACC_RETURN_IF_ERROR(LetGoOfEntry(tracer, *dict, key));
    tracer.NoteChange(dict);
    dict->written.Delete(key, start != nullptr);
    // Whether the key was there decides what is done outside: it is guarded either way.
    if (dict->open) return StartItem(tracer, dict, key).status();
  }
  auto* entry = FindEntry(dict, key);
  ++dict->key_changes;
  dict->items.erase(dict->items.begin() + (entry - dict->items.data()));
  return absl::OkStatus();
}

absl::Status RaiseKeyError(Tracer& tracer, BorrowedRef key) {
  auto* error = tracer.trace().New<symbolic::InstanceValue>(tracer.Constant(PyExc_KeyError));
  error->args =
      tracer.trace().New<symbolic::TupleValue>(std::vector<symbolic::Value*>{tracer.Constant(key)});
  return tracer.Raise(error, "a key that the dict does not have");
}

}  // namespace dynacc::tracer
