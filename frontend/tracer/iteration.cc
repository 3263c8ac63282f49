#include "frontend/tracer/iteration.h"

#include <utility>

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/int_layout.h"
#include "frontend/cpython/private_api.h"
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/deques.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/sets.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

using Items = absl::StatusOr<std::vector<symbolic::Value*>>;

// In the frozenset's own order.
Items FrozenMembers(Tracer& tracer, BorrowedRef frozen) {
  if (PySet_GET_SIZE(frozen) > static_cast<Py_ssize_t>(tracer.max_drained())) {
    return symbolic::GraphBreak("a loop too long to unroll");
  }
  const Ref members = Ref::Steal(PySequence_List(frozen));
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(members.get()); ++i) {
    items.push_back(tracer.Constant(PyList_GET_ITEM(members.get(), i)));
    if (!IsPlainConstantValue(items.back()))
      return symbolic::GraphBreak("a frozenset of other objects");
  }
  return items;
}

// Constants that are iterated as Python does it: ranges, strs, bytes.
Items ConstantItems(Tracer& tracer, symbolic::ConstantValue* constant) {
  BorrowedRef object = constant->object.get();
  if (PyFrozenSet_CheckExact(object)) return FrozenMembers(tracer, object);
  if (!PyRange_Check(object) && !PyUnicode_CheckExact(object) && !PyBytes_CheckExact(object) &&
      !PyTuple_CheckExact(object)) {
    return symbolic::GraphBreak("an iterable whose items are not known");
  }
  const Py_ssize_t size = PyObject_Size(object);
  if (size < 0 || size > static_cast<Py_ssize_t>(tracer.max_drained())) {
    PyErr_Clear();
    return symbolic::GraphBreak("a loop too long to unroll");
  }
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(tracer.ConstantSteal(PySequence_GetItem(object, i)));
  }
  return items;
}

// What an iterator of that part of a dict gives for an entry.
symbolic::Value* PartOf(Tracer& tracer, const std::pair<Ref, symbolic::Value*>& entry,
                        symbolic::DictViewValue::Part part) {
  const auto& [key, value] = entry;
  if (part == symbolic::DictViewValue::Part::kValues) return value;
  symbolic::Value* name = tracer.trace().KeyValue(key.get());
  if (part == symbolic::DictViewValue::Part::kKeys) return name;
  return tracer.trace().New<symbolic::TupleValue>(std::vector{name, value});
}

// Whether next() takes it, as it must be of what __iter__ returns.
absl::StatusOr<bool> IsIterator(Tracer& tracer, symbolic::Value* value) {
  if (symbolic::As<symbolic::IteratorValue>(value) ||
      symbolic::As<symbolic::LazyIteratorValue>(value) ||
      symbolic::As<symbolic::GeneratorValue>(value)) {
    return true;
  }
  if (!HasAttributes(value)) return false;
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, value));
  PyObject instance{};  // of which only the type is looked at
  Py_SET_TYPE(&instance, reinterpret_cast<PyTypeObject*>(cls->object.get()));
  return PyIter_Check(&instance) != 0;
}

// An object of a Python class: __iter__, or __getitem__ until IndexError (left alone).
absl::StatusOr<symbolic::Value*> IterateObject(Tracer& tracer, symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries, EntriesBy(tracer, value, "__iter__"));
  if (entries != nullptr) return Iterate(tracer, entries);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, value, "__iter__"));
  if (method == nullptr) return symbolic::GraphBreak("an iterable whose items are not known");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, tracer.CallNow(method, {}));
  DYNACC_ASSIGN_OR_RETURN(iterator, tracer.Materialize(iterator));
  DYNACC_ASSIGN_OR_RETURN(const bool is_one, IsIterator(tracer, iterator));
  return is_one ? absl::StatusOr<symbolic::Value*>(iterator)
                : symbolic::RaisingBreak("an __iter__ without iterator");
}

// next() of an object with a Python __next__: its StopIteration is the end.
absl::StatusOr<symbolic::Value*> NextOfObject(Tracer& tracer, symbolic::Value* iterator) {
  absl::StatusOr<symbolic::Value*> item = NextByMethod(tracer, iterator);
  return IsStopIteration(tracer, item.status()) ? nullptr : item;
}

// Whether the value may have a __len__ or __length_hint__ that is Python code.
bool MayTellLength(symbolic::Value* value) {
  if (IsSequence(value)) return false;
  const auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return HasAttributes(value) || (constant != nullptr && PyType_Check(constant->object.get()));
}

// As PyObject_LengthHint asks, for whatever the answer is good for.
absl::Status AskLengthHint(Tracer& tracer, symbolic::Value* value) {
  if (!MayTellLength(value)) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(const symbolic::DictValue* entries, EntriesBy(tracer, value, "__len__"));
  if (entries != nullptr) return absl::OkStatus();
  absl::StatusOr<symbolic::Value*> length = LengthByMethod(tracer, value);
  if (length.ok() && *length == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method,
                            SpecialMethod(tracer, value, "__length_hint__"));
    if (method == nullptr) return absl::OkStatus();
    length = tracer.CallNow(method, {});
    const auto* hint = length.ok() ? symbolic::As<symbolic::ConstantValue>(*length) : nullptr;
    const bool is_int = hint != nullptr && PyLong_CheckExact(hint->object.get()) &&
                        SignedDigitCount(hint->object.get()) >= 0;
    if (length.ok() && !is_int) return symbolic::GraphBreak("a __length_hint__ that is not known");
  }
  // Some errors are ignored, others are not.
  return Tracer::IsRaised(length.status()) ? symbolic::GraphBreak("a length hint that raises")
                                           : length.status();
}

// The items of what Iterate gave.
absl::Status ForEachNext(Tracer& tracer, symbolic::Value* iterator, bool is_endless,
                         absl::FunctionRef<absl::Status(symbolic::Value*)> what) {
  for (size_t count = 0;; ++count) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
    if (item == nullptr) return absl::OkStatus();
    if (count == tracer.max_drained() && !is_endless)
      return symbolic::GraphBreak("an iterable of many items");
    DYNACC_RETURN_IF_ERROR(what(item));
  }
}

absl::StatusOr<int64_t> TensorLength(Tracer& tracer, symbolic::TensorValue* tensor) {
  if (tensor->node->rank() == 0) return symbolic::RaisingBreak("iteration over a rank-0 array");
  ScalarProgram& program = tracer.trace().graph().scalars();
  const int64_t size = tensor->hint_shape[0];
  tracer.trace().SameSize(tensor->node->shape[0], size, program.Int(size), size);
  return size;
}

// An item is what the array gives when it is reached: the loop may write elements, and where it
// gives the array another shape, which is a break, Python's own iterator goes on with that.
absl::StatusOr<symbolic::Value*> IterateTensor(Tracer& tracer, symbolic::TensorValue* tensor) {
  if (tensor->node->rank() == 0) return symbolic::RaisingBreak("iteration over a rank-0 array");
  if (tensor->hint_shape[0] > tracer.max_unroll())
    return symbolic::GraphBreak("a loop too long to unroll");
  DYNACC_ASSIGN_OR_RETURN(const int64_t size, TensorLength(tracer, tensor));
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  auto next = [&tracer, tensor, size,
               at = int64_t{0}]() mutable -> absl::StatusOr<symbolic::Value*> {
    if (at == size) return nullptr;
    symbolic::Value* index = tracer.ConstantSteal(PyLong_FromLongLong(at++));
    return tracer.arrays().Subscript(tracer.trace(), tensor, index);
  };
  return tracer.trace().New<symbolic::LazyIteratorValue>(std::move(next));
}

// Whether these are the globals of a module of the package whose loops are over leaves of trees.
bool AreOverTrees(BorrowedRef globals) {
  static PyObject* const key = PyUnicode_InternFromString("__name__");
  BorrowedRef name = DictGetStr(globals, key);
  if (name == nullptr || !PyUnicode_Check(name)) return false;
  return PyUnicode_CompareWithASCIIString(name, "dynacc.tree") == 0 ||
         PyUnicode_CompareWithASCIIString(name, "dynacc._tree") == 0 ||
         PyUnicode_CompareWithASCIIString(name, "dynacc.optim") == 0;
}

}  // namespace

absl::StatusOr<symbolic::Value*> IterateDict(Tracer& tracer, symbolic::DictValue* dict,
                                             symbolic::DictViewValue::Part part, bool reversed) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  // Only a loop that changes the dict can tell; a known list can be unrolled across breaks.
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  auto next = [&tracer, dict, part, reversed, key_changes = dict->key_changes, ended = false,
               taken = size_t{0}]() mutable -> absl::StatusOr<symbolic::Value*> {
    if (ended) return nullptr;
    if (dict->key_changes != key_changes)
      return symbolic::RaisingBreak("a dict that changes during iteration");
    const size_t size = dict->items.size();
    ended = taken == size;
    if (ended) return nullptr;
    const size_t place = reversed ? size - 1 - taken : taken;
    ++taken;
    return PartOf(tracer, dict->items[place], part);
  };
  return tracer.trace().New<symbolic::LazyIteratorValue>(std::move(next));
}

int MaxRounds(const Tracer& tracer, const SymbolicFrame& frame) {
  int rounds = tracer.max_unroll();
  if (polyfills::IsPolyfillNamespace(frame.globals)) {
    rounds = std::max(rounds, polyfills::kMaxPolyfillUnroll);
  } else if (AreOverTrees(frame.globals)) {
    rounds = std::max(rounds, static_cast<int>(kMaxDrained));
  }
  return rounds;
}

absl::StatusOr<std::vector<symbolic::Value*>> TensorItems(Tracer& tracer,
                                                          symbolic::TensorValue* tensor) {
  DYNACC_ASSIGN_OR_RETURN(const int64_t size, TensorLength(tracer, tensor));
  if (size > static_cast<int64_t>(tracer.max_drained()))
    return symbolic::GraphBreak("a loop too long to unroll");
  std::vector<symbolic::Value*> items;
  for (int64_t i = 0; i < size; ++i) {
    symbolic::Value* index = tracer.ConstantSteal(PyLong_FromLongLong(i));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item,
                            tracer.arrays().Subscript(tracer.trace(), tensor, index));
    items.push_back(item);
  }
  return items;
}

absl::StatusOr<symbolic::Value*> Iterate(Tracer& tracer, symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  if (symbolic::As<symbolic::IteratorValue>(value) ||
      symbolic::As<symbolic::LazyIteratorValue>(value) ||
      symbolic::As<symbolic::GeneratorValue>(value)) {
    tracer.NoteSharedIterator(value);
    return value;
  }
  if (auto* list = symbolic::As<symbolic::ListValue>(value)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
    return tracer.trace().New<symbolic::IteratorValue>(list);
  }
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value))
    return tracer.trace().New<symbolic::IteratorValue>(tuple->items);
  if (auto* deque = symbolic::As<symbolic::DequeValue>(value)) return IterateDeque(tracer, deque);
  if (auto* view = symbolic::As<symbolic::DictViewValue>(value))
    return IterateDict(tracer, view->dict, view->part);
  if (auto* set = symbolic::As<symbolic::SetValue>(value)) return IterateSet(tracer, set);
  if (auto* dict = symbolic::As<symbolic::DictValue>(value)) {
    return IterateDict(tracer, dict, symbolic::DictViewValue::Part::kKeys);
  }
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value))
    return IterateTensor(tracer, tensor);
  if (auto* constant = symbolic::As<symbolic::ConstantValue>(value);
      constant != nullptr && !PyType_Check(constant->object.get())) {
    DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> items, ConstantItems(tracer, constant));
    return tracer.trace().New<symbolic::IteratorValue>(std::move(items));
  }
  if (HasAttributes(value) || symbolic::As<symbolic::ConstantValue>(value))
    return IterateObject(tracer, value);
  return symbolic::GraphBreak("an iterable whose items are not known");
}

absl::StatusOr<symbolic::Value*> NextOfExisting(Tracer& tracer,
                                                symbolic::LazyIteratorValue* iterator,
                                                symbolic::Value* sequence) {
  if (iterator->ended) return nullptr;
  if (tracer.IsChanged(sequence)) return symbolic::GraphBreak("an iterator of a list that changes");
  const sources::Source* source = tracer.sources().Intern(sources::SourceKind::kIteratorItem,
                                                          iterator->source(), iterator->taken);
  BorrowedRef item = sources::AccessSource(*source, iterator->object.get(), tracer.root().roots);
  tracer.NoteChange(iterator);
  ++iterator->taken;
  iterator->ended = item == nullptr;
  if (!iterator->ended) return tracer.Lazy(item, source);
  tracer.trace().AddGuard(guards::GuardKind::kAbsent, source);
  // It lets go of the sequence.
  const sources::Source* of =
      tracer.sources().Intern(sources::SourceKind::kIteratedSequence, iterator->source());
  DYNACC_RETURN_IF_ERROR(
      tracer.LetGo(of, sources::AccessSource(*of, iterator->object.get(), tracer.root().roots)));
  return nullptr;
}

absl::StatusOr<symbolic::Value*> NextByMethod(Tracer& tracer, symbolic::Value* iterator) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, iterator, "__next__"));
  if (method == nullptr) return symbolic::GraphBreak("a step of an iterator");
  return tracer.CallNow(method, {});
}

bool IsStopIteration(const Tracer& tracer, const absl::Status& status) {
  if (!Tracer::IsRaised(status)) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(tracer.raised()->cls->object.get());
  return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_StopIteration)) != 0;
}

absl::StatusOr<symbolic::Value*> NextItem(Tracer& tracer, symbolic::Value* iterator) {
  DYNACC_RETURN_IF_ERROR(tracer.CountWork());
  tracer.NoteAdvance(iterator);
  if (auto* known = symbolic::As<symbolic::IteratorValue>(iterator)) {
    if (known->next < known->items().size()) return known->items()[known->next++];
    known->next = symbolic::IteratorValue::kEnded;
    return nullptr;
  }
  if (auto* lazy = symbolic::As<symbolic::LazyIteratorValue>(iterator)) {
    symbolic::Value* const outer = std::exchange(tracer.advancing(), lazy);
    absl::StatusOr<symbolic::Value*> item = lazy->next();
    tracer.advancing() = outer;
    return item;
  }
  if (auto* generator = symbolic::As<symbolic::GeneratorValue>(iterator)) {
    return tracer.Resume(generator, tracer.None());
  }
  if (HasAttributes(iterator)) return NextOfObject(tracer, iterator);
  return symbolic::GraphBreak("a step of an iterator");
}

absl::StatusOr<std::vector<symbolic::Value*>> Drain(Tracer& tracer, symbolic::Value* iterable) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (IsSequence(iterable)) return SequenceItems(tracer, iterable);
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(iterable))
    return TensorItems(tracer, tensor);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, iterable));
  std::vector<symbolic::Value*> items;
  for (;;) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
    if (item == nullptr) return items;
    if (items.size() == tracer.max_drained())
      return symbolic::GraphBreak("an iterable of many items");
    items.push_back(item);
  }
}

absl::Status ForEachItem(Tracer& tracer, symbolic::Value* iterable,
                         absl::FunctionRef<absl::Status(symbolic::Value*)> what) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  const bool is_list = iterable->kind() == symbolic::ValueKind::kList;
  if (symbolic::As<symbolic::TensorValue>(iterable) || (IsSequence(iterable) && !is_list)) {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items, Drain(tracer, iterable));
    for (symbolic::Value* item : items) DYNACC_RETURN_IF_ERROR(what(item));
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, iterable));
  return ForEachNext(tracer, iterator, is_list, what);
}

absl::Status ForEachListed(Tracer& tracer, symbolic::Value* iterable,
                           absl::FunctionRef<absl::Status(symbolic::Value*)> what) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (!MayTellLength(iterable)) return ForEachItem(tracer, iterable, what);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, iterable));
  DYNACC_RETURN_IF_ERROR(AskLengthHint(tracer, iterable));
  return ForEachNext(tracer, iterator, /*is_endless=*/false, what);
}

absl::StatusOr<std::vector<symbolic::Value*>> DrainAsList(Tracer& tracer,
                                                          symbolic::Value* iterable) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (!MayTellLength(iterable)) return Drain(tracer, iterable);
  std::vector<symbolic::Value*> items;
  DYNACC_RETURN_IF_ERROR(ForEachListed(tracer, iterable, [&](symbolic::Value* item) {
    items.push_back(item);
    return absl::OkStatus();
  }));
  return items;
}

absl::StatusOr<std::vector<symbolic::Value*>> DrainAsTuple(Tracer& tracer,
                                                           symbolic::Value* iterable) {
  return TuplesAskLengths() ? DrainAsList(tracer, iterable) : Drain(tracer, iterable);
}

absl::StatusOr<std::vector<symbolic::Value*>> DrainIterator(Tracer& tracer,
                                                            symbolic::Value* iterable) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (!MayTellLength(iterable)) return Drain(tracer, iterable);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, iterable));
  if (HasAttributes(iterator))
    return symbolic::GraphBreak("a list of an iterator of a Python class");
  return Drain(tracer, iterator);
}

absl::StatusOr<int64_t> KnownLength(Tracer& tracer, symbolic::Value* value) {
  if (IsSequence(value)) {
    DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> items, SequenceItems(tracer, value));
    return static_cast<int64_t>(items.size());
  }
  if (auto* deque = symbolic::As<symbolic::DequeValue>(value)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
    return static_cast<int64_t>(deque->items.size());
  }
  if (auto* view = symbolic::As<symbolic::DictViewValue>(value)) value = view->dict;
  if (auto* dict = symbolic::As<symbolic::DictValue>(value)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
    return static_cast<int64_t>(dict->items.size());
  }
  if (auto* set = symbolic::As<symbolic::SetValue>(value)) return SetLength(tracer, set);
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant != nullptr &&
      (IsPlainConstantValue(value) || PyRange_Check(constant->object.get()) ||
       PyFrozenSet_CheckExact(constant->object.get()))) {
    const Py_ssize_t size = PyObject_Size(constant->object.get());
    if (size >= 0) return static_cast<int64_t>(size);
    PyErr_Clear();
  }
  return -1;
}

}  // namespace dynacc::tracer
