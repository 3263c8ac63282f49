// Builtins that make, read and change lists, tuples and dicts.
#include <algorithm>

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/ordered_dict.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

absl::StatusOr<symbolic::ListValue*> AsList(symbolic::Value* value) {
  if (auto* list = symbolic::As<symbolic::ListValue>(value)) return list;
  return symbolic::GraphBreak("a list method of another object");
}

// Whether a method of dict is called on an OrderedDict which has another one of that name:
// dict.__setitem__ knows nothing of the order.
bool PassesByOrder(symbolic::Value* value, BorrowedRef method) {
  auto* object = symbolic::As<symbolic::ObjectValue>(value);
  auto* instance = symbolic::As<symbolic::InstanceValue>(value);
  PyObject* const ordered = reinterpret_cast<PyObject*>(&PyODict_Type);
  const bool is_ordered = (object != nullptr && IsOrderedDict(object->object.get())) ||
                          (instance != nullptr && instance->cls->object.get() == ordered);
  const bool is_method =
      Py_IS_TYPE(method, &PyMethodDescr_Type) || Py_IS_TYPE(method, &PyWrapperDescr_Type);
  return is_ordered && is_method && PyDescr_TYPE(method) == &PyDict_Type &&
         TypeLookup(&PyODict_Type, PyDescr_NAME(method)) != method;
}

// The entries of the dict that a method is called on.
absl::StatusOr<symbolic::DictValue*> AsDict(Tracer& tracer, const BuiltinCall& call) {
  if (PassesByOrder(call.args[0], call.callable))
    return symbolic::GraphBreak("dict's methods of such a dict");
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, EntriesOf(tracer, call.args[0]));
  if (dict != nullptr) return dict;
  return symbolic::GraphBreak("a dict method of another object");
}

absl::Status AddPair(Tracer& tracer, symbolic::DictValue* dict, symbolic::Value* pair) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> parts, Drain(tracer, pair));
  if (parts.size() != 2) return symbolic::RaisingBreak("a dict made of other than pairs");
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, parts[0]));
  return SetDictItem(tracer, dict, key, parts[1]);
}

absl::Status AddPairs(Tracer& tracer, symbolic::DictValue* dict, symbolic::Value* pairs) {
  return ForEachItem(tracer, pairs,
                     [&](symbolic::Value* pair) { return AddPair(tracer, dict, pair); });
}

absl::Status AddEntries(Tracer& tracer, symbolic::DictValue* dict, const BuiltinCall& call,
                        size_t first) {
  if (call.args.size() > first) {
    auto* from = symbolic::As<symbolic::DictValue>(call.args[first]);
    if (from == nullptr) {
      DYNACC_ASSIGN_OR_RETURN(from, EntriesBy(tracer, call.args[first], "__iter__"));
    }
    if (from != nullptr) {
      DYNACC_RETURN_IF_ERROR(KnowItems(tracer, from));
      const auto entries = from->items;
      for (auto& [key, value] : entries) {
        DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, dict, key.get(), value));
      }
    } else if (HasAttributes(call.args[first])) {
      return symbolic::GraphBreak("a mapping whose items are not known");
    } else {
      DYNACC_RETURN_IF_ERROR(AddPairs(tracer, dict, call.args[first]));
    }
  }
  for (const auto& [name, value] : call.keywords) {
    DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, dict, name.object(), value));
  }
  return absl::OkStatus();
}

absl::StatusOr<symbolic::Value*> ViewOf(Tracer& tracer, const BuiltinCall& call,
                                        symbolic::DictViewValue::Part part) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  if (!tracer.limits().allow_iterators)
    return symbolic::GraphBreak("a view of a dict that is kept");
  return tracer.trace().New<symbolic::DictViewValue>(dict, part);
}

// The call without its first argument, which is a list: what changes are on.
absl::StatusOr<std::vector<symbolic::Value*>*> ListToChange(Tracer& tracer,
                                                            const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::ListValue * list, AsList(call.args[0]));
  return ItemsToChange(tracer, list);
}

// The argument `last` of OrderedDict's methods, which is true if it is not given.
absl::StatusOr<bool> IsLast(Tracer& tracer, const BuiltinCall& call, size_t place) {
  symbolic::Value* last = call.args.size() > place ? call.args[place] : call.Keyword("last");
  return last == nullptr ? absl::StatusOr<bool>(true) : tracer.Truth(last);
}

}  // namespace

namespace builtins {

// Bounds that are known make a range object, which iteration takes apart.
absl::StatusOr<symbolic::Value*> Range(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 3));
  for (symbolic::Value* bound : call.args) {
    if (!IsPlainConstantValue(bound)) return symbolic::GraphBreak("a range with changing bounds");
  }
  return FoldCall(tracer, call);
}

absl::StatusOr<symbolic::Value*> MakeTuple(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 1));
  if (!call.args.empty() && symbolic::As<symbolic::TupleValue>(call.args[0]) &&
      !symbolic::As<symbolic::TupleValue>(call.args[0])->cls) {
    return call.args[0];
  }
  std::vector<symbolic::Value*> items;
  if (!call.args.empty()) {
    DYNACC_ASSIGN_OR_RETURN(items, DrainAsTuple(tracer, call.args[0]));
  }
  return tracer.trace().New<symbolic::TupleValue>(std::move(items));
}

absl::StatusOr<symbolic::Value*> MakeList(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 1));
  std::vector<symbolic::Value*> items;
  if (!call.args.empty()) {
    DYNACC_ASSIGN_OR_RETURN(items, DrainAsList(tracer, call.args[0]));
  }
  return tracer.trace().New<symbolic::ListValue>(std::move(items));
}

absl::StatusOr<symbolic::Value*> MakeDict(Tracer& tracer, const BuiltinCall& call) {
  auto* dict = tracer.trace().New<symbolic::DictValue>();
  if (!call.args.empty() && PassesByOrder(call.args[0], call.callable)) {
    return symbolic::GraphBreak("dict's methods of such a dict");
  }
  if (call.args.size() > 1) return symbolic::GraphBreak("a builtin called with such arguments");
  DYNACC_RETURN_IF_ERROR(AddEntries(tracer, dict, call, 0));
  return dict;
}

absl::StatusOr<symbolic::Value*> ListAppend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ListValue * list, AsList(call.args[0]));
  AppendToList(tracer, list, call.args[1]);
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> ListExtend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ListValue * list, AsList(call.args[0]));
  DYNACC_RETURN_IF_ERROR(ExtendList(tracer, list, call.args[1]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> ListInsert(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(3, 3));
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * items, ListToChange(tracer, call));
  if (symbolic::As<symbolic::NumberValue>(call.args[1]))
    return symbolic::GraphBreak("an item at a changing index");
  DYNACC_ASSIGN_OR_RETURN(int64_t place, tracer.trace().ConstantInt(call.args[1]));
  const auto size = static_cast<int64_t>(items->size());
  place = std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
  items->insert(items->begin() + place, call.args[2]);
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> ListPop(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2));
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * items, ListToChange(tracer, call));
  if (items->empty())
    return tracer.Raise(PyExc_IndexError, "pop from empty list", "a pop of nothing");
  auto place = static_cast<int64_t>(items->size()) - 1;
  if (call.args.size() == 2) {
    DYNACC_ASSIGN_OR_RETURN(
        place, ItemIndex(tracer, call.args[1], items->size(), "pop index out of range"));
  }
  DYNACC_RETURN_IF_ERROR(
      LetGoOfItem(tracer, *symbolic::As<symbolic::ListValue>(call.args[0]), place));
  symbolic::Value* item = (*items)[place];
  items->erase(items->begin() + place);
  return item;
}

absl::StatusOr<symbolic::Value*> ListClear(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * items, ListToChange(tracer, call));
  for (size_t i = 0; i < items->size(); ++i) {
    DYNACC_RETURN_IF_ERROR(LetGoOfItem(tracer, *symbolic::As<symbolic::ListValue>(call.args[0]),
                                       static_cast<int64_t>(i)));
  }
  items->clear();
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> ListReverse(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * items, ListToChange(tracer, call));
  std::reverse(items->begin(), items->end());
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> SequenceIndex(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          SequenceItems(tracer, call.args[0]));
  for (size_t i = 0; i < items.size(); ++i) {
    auto tuple = tracer.trace().New<symbolic::TupleValue>(std::vector<symbolic::Value*>{items[i]});
    DYNACC_ASSIGN_OR_RETURN(const bool found, ContainedIn(tracer, call.args[1], tuple));
    DYNACC_RETURN_IF_ERROR(RequireItems(call.args[0], items));
    if (found) return tracer.ConstantSteal(PyLong_FromSize_t(i));
  }
  return symbolic::RaisingBreak("an item that the sequence does not have");
}

absl::StatusOr<symbolic::Value*> SequenceCount(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          SequenceItems(tracer, call.args[0]));
  int64_t count = 0;
  for (symbolic::Value* item : items) {
    auto tuple = tracer.trace().New<symbolic::TupleValue>(std::vector<symbolic::Value*>{item});
    DYNACC_ASSIGN_OR_RETURN(const bool found, ContainedIn(tracer, call.args[1], tuple));
    DYNACC_RETURN_IF_ERROR(RequireItems(call.args[0], items));
    count += found;
  }
  return tracer.ConstantSteal(PyLong_FromLongLong(count));
}

absl::StatusOr<symbolic::Value*> ListRemove(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ListValue * list, AsList(call.args[0]));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
  const std::vector<symbolic::Value*> items = list->items;
  for (size_t i = 0; i < items.size(); ++i) {
    auto tuple = tracer.trace().New<symbolic::TupleValue>(std::vector<symbolic::Value*>{items[i]});
    DYNACC_ASSIGN_OR_RETURN(const bool found, ContainedIn(tracer, call.args[1], tuple));
    DYNACC_RETURN_IF_ERROR(RequireItems(list, items));
    if (!found) continue;
    DYNACC_RETURN_IF_ERROR(RemoveItems(tracer, list, {static_cast<int64_t>(i)}));
    return tracer.None();
  }
  return tracer.Raise(PyExc_ValueError, "list.remove(x): x not in list",
                      "an item that the list does not have");
}

absl::StatusOr<symbolic::Value*> DictGet(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 3));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, call.args[1]));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, DictItem(tracer, dict, key));
  if (item != nullptr) return item;
  return call.args.size() == 3 ? call.args[2] : tracer.None();
}

absl::StatusOr<symbolic::Value*> DictPop(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 3));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, call.args[1]));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, DictItem(tracer, dict, key));
  if (item == nullptr) {
    if (call.args.size() == 3) return call.args[2];
    return RaiseKeyError(tracer, key);
  }
  DYNACC_RETURN_IF_ERROR(DeleteDictItem(tracer, dict, key));
  return item;
}

absl::StatusOr<symbolic::Value*> DictSetDefault(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 3));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, call.args[1]));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, DictItem(tracer, dict, key));
  if (item != nullptr) return item;
  item = call.args.size() == 3 ? call.args[2] : tracer.None();
  DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, dict, key, item));
  return item;
}

absl::StatusOr<symbolic::Value*> DictUpdate(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.empty() || call.args.size() > 2)
    return symbolic::GraphBreak("a builtin called with such arguments");
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_RETURN_IF_ERROR(AddEntries(tracer, dict, call, 1));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DictInit(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.empty() || call.args.size() > 2)
    return symbolic::GraphBreak("a builtin called with such arguments");
  return DictUpdate(tracer, call);
}

absl::StatusOr<symbolic::Value*> DictLoad(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  return EntrySubscript(tracer, call.args[0], dict, call.args[1]);
}

absl::StatusOr<symbolic::Value*> DictStore(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(3, 3));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, call.args[1]));
  DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, dict, key, call.args[2]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DictRemove(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_RETURN_IF_ERROR(DeleteSubscript(tracer, dict, call.args[1]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DictContains(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_ASSIGN_OR_RETURN(const bool found, ContainedIn(tracer, call.args[1], dict));
  return tracer.Constant(found ? Py_True : Py_False);
}

absl::StatusOr<symbolic::Value*> MakeDefaultDict(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::InstanceValue * made,
                          NewInstance(tracer, tracer.Constant(call.callable)));
  BuiltinCall init{call.callable, call.args, call.keywords};
  init.args.insert(init.args.begin(), made);
  DYNACC_RETURN_IF_ERROR(DefaultDictInit(tracer, init).status());
  return made;
}

absl::StatusOr<symbolic::Value*> DefaultDictInit(Tracer& tracer, const BuiltinCall& call) {
  static PyObject* const name = PyUnicode_InternFromString("default_factory");
  auto* made = symbolic::As<symbolic::InstanceValue>(call.args[0]);
  if (made == nullptr || made->part == nullptr || call.args.size() > 3) {
    return symbolic::GraphBreak("a builtin called with such arguments");
  }
  symbolic::Value* factory = call.args.size() > 1 ? call.args[1] : tracer.None();
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(factory);
      !constant || constant->object.get() != Py_None) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * verdict,
                            Callable(tracer, {call.callable, {factory}, {}}));
    DYNACC_ASSIGN_OR_RETURN(const bool is_callable, tracer.Truth(verdict));
    if (!is_callable) return symbolic::RaisingBreak("a defaultdict of what cannot be called");
  }
  made->attributes.Set(name, factory);
  BuiltinCall update{call.callable, {made}, call.keywords};
  if (call.args.size() == 3) update.args.push_back(call.args[2]);
  return DictUpdate(tracer, update);
}

absl::StatusOr<symbolic::Value*> DictClear(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  while (!dict->items.empty()) {
    const Ref key = dict->items.back().first;
    DYNACC_RETURN_IF_ERROR(DeleteDictItem(tracer, dict, key.get()));
  }
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DictPopItem(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  if (dict->items.empty()) {
    return tracer.Raise(PyExc_KeyError, "popitem(): dictionary is empty", "a pop of nothing");
  }
  const auto [key, item] = dict->items.back();
  DYNACC_RETURN_IF_ERROR(DeleteDictItem(tracer, dict, key.get()));
  return tracer.trace().New<symbolic::TupleValue>(
      std::vector<symbolic::Value*>{tracer.trace().KeyValue(key.get()), item});
}

absl::StatusOr<symbolic::Value*> DictKeys(Tracer& tracer, const BuiltinCall& call) {
  return ViewOf(tracer, call, symbolic::DictViewValue::Part::kKeys);
}

absl::StatusOr<symbolic::Value*> DictValues(Tracer& tracer, const BuiltinCall& call) {
  return ViewOf(tracer, call, symbolic::DictViewValue::Part::kValues);
}

absl::StatusOr<symbolic::Value*> DictItems(Tracer& tracer, const BuiltinCall& call) {
  return ViewOf(tracer, call, symbolic::DictViewValue::Part::kItems);
}

absl::StatusOr<symbolic::Value*> MakeOrderedDict(Tracer& tracer, const BuiltinCall& call) {
  if (call.args.size() > 1) return symbolic::GraphBreak("a builtin called with such arguments");
  DYNACC_ASSIGN_OR_RETURN(symbolic::InstanceValue * made,
                          NewInstance(tracer, tracer.Constant(call.callable)));
  BuiltinCall update{call.callable, {made}, call.keywords};
  if (!call.args.empty()) update.args.push_back(call.args[0]);
  DYNACC_RETURN_IF_ERROR(DictUpdate(tracer, update).status());
  return made;
}

absl::StatusOr<symbolic::Value*> OrderedPopItem(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2, {"last"}));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict, AsDict(tracer, call));
  DYNACC_ASSIGN_OR_RETURN(const bool last, IsLast(tracer, call, 1));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  if (dict->items.empty()) {
    return tracer.Raise(PyExc_KeyError, "dictionary is empty", "a pop of nothing");
  }
  const auto [key, item] = last ? dict->items.back() : dict->items.front();
  DYNACC_RETURN_IF_ERROR(DeleteDictItem(tracer, dict, key.get()));
  return tracer.trace().New<symbolic::TupleValue>(
      std::vector<symbolic::Value*>{tracer.trace().KeyValue(key.get()), item});
}

}  // namespace builtins
}  // namespace dynacc::tracer
