#include "frontend/tracer/iteration.h"

#include "frontend/tracer/attributes.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/deques.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/sets.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

using Items = absl::StatusOr<std::vector<Value*>>;

// In the frozenset's own order.
Items FrozenMembers(Tracer& tracer, BorrowedRef frozen) {
  if (PySet_GET_SIZE(frozen) > static_cast<Py_ssize_t>(kMaxDrained)) {
    return GraphBreak("a loop too long to unroll");
  }
  const Ref members = Ref::Steal(PySequence_List(frozen));
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(members.get()); ++i) {
    items.push_back(tracer.Constant(PyList_GET_ITEM(members.get(), i)));
    if (!IsPlainConstantValue(items.back())) return GraphBreak("a frozenset of other objects");
  }
  return items;
}

// Constants that are iterated as Python does it: ranges, strs, bytes.
Items ConstantItems(Tracer& tracer, ConstantValue* constant) {
  BorrowedRef object = constant->object.get();
  if (PyFrozenSet_CheckExact(object)) return FrozenMembers(tracer, object);
  if (!PyRange_Check(object) && !PyUnicode_CheckExact(object) && !PyBytes_CheckExact(object) &&
      !PyTuple_CheckExact(object)) {
    return GraphBreak("an iterable whose items are not known");
  }
  const Py_ssize_t size = PyObject_Size(object);
  if (size < 0 || size > static_cast<Py_ssize_t>(kMaxDrained)) {
    PyErr_Clear();
    return GraphBreak("a loop too long to unroll");
  }
  std::vector<Value*> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(tracer.ConstantSteal(PySequence_GetItem(object, i)));
  }
  return items;
}

Items ViewItems(Tracer& tracer, DictViewValue* view) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, view->dict));
  std::vector<Value*> items;
  for (auto& [key, value] : view->dict->items) {
    Value* name = tracer.Constant(key.get());
    items.push_back(view->part == DictViewValue::Part::kKeys ? name
                    : view->part == DictViewValue::Part::kValues
                        ? value
                        : tracer.trace().New<TupleValue>(std::vector{name, value}));
  }
  return items;
}

// A dict iterator that notices, as Python's does, that the dict has changed its size; and that its
// keys have another order, of which an OrderedDict's iterator has another opinion than a dict's.
Value* DictIterator(Tracer& tracer, DictValue* dict, std::vector<Value*> items) {
  std::vector<Ref> keys;
  for (const auto& [key, item] : dict->items) keys.push_back(key);
  auto next = [dict, items, keys, at = size_t{0}]() mutable -> absl::StatusOr<Value*> {
    if (dict->items.size() != keys.size()) {
      return RaisingBreak("a dict that changes during iteration");
    }
    for (size_t i = at; i < keys.size(); ++i) {
      if (dict->items[i].first.get() != keys[i].get()) {
        return RaisingBreak("a dict that changes during iteration");
      }
    }
    return at < items.size() ? items[at++] : nullptr;
  };
  return tracer.trace().New<LazyIteratorValue>(std::move(next));
}

absl::StatusOr<Value*> IterateDict(Tracer& tracer, DictViewValue* view) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, ViewItems(tracer, view));
  // Only a loop that changes the dict can tell; a known list can be unrolled across breaks.
  if (!tracer.limits().allow_iterators) return GraphBreak("an iterator that is kept");
  return DictIterator(tracer, view->dict, std::move(items));
}

// Whether next() takes it, as it must be of what __iter__ returns.
absl::StatusOr<bool> IsIterator(Tracer& tracer, Value* value) {
  if (As<IteratorValue>(value) || As<LazyIteratorValue>(value) || As<GeneratorValue>(value)) {
    return true;
  }
  if (!HasAttributes(value)) return false;
  DYNACC_ASSIGN_OR_RETURN(ConstantValue * cls, ClassOf(tracer, value));
  const auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  return type->tp_iternext != nullptr && type->tp_iternext != &_PyObject_NextNotImplemented;
}

// An object of a Python class: __iter__, or __getitem__ until IndexError (left alone).
absl::StatusOr<Value*> IterateObject(Tracer& tracer, Value* value) {
  DYNACC_ASSIGN_OR_RETURN(DictValue * entries, EntriesBy(tracer, value, "__iter__"));
  if (entries != nullptr) return Iterate(tracer, entries);
  DYNACC_ASSIGN_OR_RETURN(Value * method, SpecialMethod(tracer, value, "__iter__"));
  if (method == nullptr) return GraphBreak("an iterable whose items are not known");
  DYNACC_ASSIGN_OR_RETURN(Value * iterator, tracer.CallNow(method, {}));
  DYNACC_ASSIGN_OR_RETURN(iterator, tracer.Materialize(iterator));
  DYNACC_ASSIGN_OR_RETURN(const bool is_one, IsIterator(tracer, iterator));
  return is_one ? absl::StatusOr<Value*>(iterator) : RaisingBreak("an __iter__ without iterator");
}

// next() of an object with a Python __next__: its StopIteration is the end.
absl::StatusOr<Value*> NextOfObject(Tracer& tracer, Value* iterator) {
  absl::StatusOr<Value*> item = NextByMethod(tracer, iterator);
  return IsStopIteration(tracer, item.status()) ? nullptr : item;
}

// Whether the value may have a __len__ or __length_hint__ that is Python code.
bool MayTellLength(Value* value) {
  if (IsSequence(value)) return false;
  const auto* constant = As<ConstantValue>(value);
  return HasAttributes(value) || (constant != nullptr && PyType_Check(constant->object.get()));
}

// As PyObject_LengthHint asks, for whatever the answer is good for.
absl::Status AskLengthHint(Tracer& tracer, Value* value) {
  if (!MayTellLength(value)) return absl::OkStatus();
  DYNACC_ASSIGN_OR_RETURN(const DictValue* entries, EntriesBy(tracer, value, "__len__"));
  if (entries != nullptr) return absl::OkStatus();
  absl::StatusOr<Value*> length = LengthByMethod(tracer, value);
  if (length.ok() && *length == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(Value * method, SpecialMethod(tracer, value, "__length_hint__"));
    if (method == nullptr) return absl::OkStatus();
    length = tracer.CallNow(method, {});
    const auto* hint = length.ok() ? As<ConstantValue>(*length) : nullptr;
    const bool is_int = hint != nullptr && PyLong_CheckExact(hint->object.get()) &&
                        Py_SIZE(hint->object.get()) >= 0;
    if (length.ok() && !is_int) return GraphBreak("a __length_hint__ that is not known");
  }
  // Some errors are ignored, others are not.
  return Tracer::IsRaised(length.status()) ? GraphBreak("a length hint that raises")
                                           : length.status();
}

// The items of what Iterate gave.
absl::Status ForEachNext(Tracer& tracer, Value* iterator, bool is_endless,
                         absl::FunctionRef<absl::Status(Value*)> what) {
  for (size_t count = 0;; ++count) {
    DYNACC_ASSIGN_OR_RETURN(Value * item, NextItem(tracer, iterator));
    if (item == nullptr) return absl::OkStatus();
    if (count == kMaxDrained && !is_endless) return GraphBreak("an iterable of many items");
    DYNACC_RETURN_IF_ERROR(what(item));
  }
}

absl::StatusOr<int64_t> TensorLength(Tracer& tracer, TensorValue* tensor) {
  if (tensor->node->rank() == 0) return RaisingBreak("iteration over a rank-0 array");
  ScalarProgram& program = tracer.trace().graph().scalars();
  const int64_t size = tensor->hint_shape[0];
  tracer.trace().SameSize(tensor->node->shape[0], size, program.Int(size), size);
  return size;
}

// An item is what the array gives when it is reached: the loop may write elements, and where it
// gives the array another shape, which is a break, Python's own iterator goes on with that.
absl::StatusOr<Value*> IterateTensor(Tracer& tracer, TensorValue* tensor) {
  if (tensor->node->rank() == 0) return RaisingBreak("iteration over a rank-0 array");
  if (tensor->hint_shape[0] > kMaxUnroll) return GraphBreak("a loop too long to unroll");
  DYNACC_ASSIGN_OR_RETURN(const int64_t size, TensorLength(tracer, tensor));
  if (!tracer.limits().allow_iterators) return GraphBreak("an iterator that is kept");
  auto next = [&tracer, tensor, size, at = int64_t{0}]() mutable -> absl::StatusOr<Value*> {
    if (at == size) return nullptr;
    Value* index = tracer.ConstantSteal(PyLong_FromLongLong(at++));
    return tracer.arrays().Subscript(tracer.trace(), tensor, index);
  };
  return tracer.trace().New<LazyIteratorValue>(std::move(next));
}

}  // namespace

absl::StatusOr<std::vector<Value*>> TensorItems(Tracer& tracer, TensorValue* tensor) {
  DYNACC_ASSIGN_OR_RETURN(const int64_t size, TensorLength(tracer, tensor));
  if (size > static_cast<int64_t>(kMaxDrained)) return GraphBreak("a loop too long to unroll");
  std::vector<Value*> items;
  for (int64_t i = 0; i < size; ++i) {
    Value* index = tracer.ConstantSteal(PyLong_FromLongLong(i));
    DYNACC_ASSIGN_OR_RETURN(Value * item, tracer.arrays().Subscript(tracer.trace(), tensor, index));
    items.push_back(item);
  }
  return items;
}

absl::StatusOr<Value*> Iterate(Tracer& tracer, Value* value) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  if (As<IteratorValue>(value) || As<LazyIteratorValue>(value) || As<GeneratorValue>(value)) {
    return value;
  }
  if (auto* list = As<ListValue>(value)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
    return tracer.trace().New<IteratorValue>(list);
  }
  if (auto* tuple = As<TupleValue>(value)) return tracer.trace().New<IteratorValue>(tuple->items);
  if (auto* deque = As<DequeValue>(value)) return IterateDeque(tracer, deque);
  if (auto* view = As<DictViewValue>(value)) return IterateDict(tracer, view);
  if (auto* set = As<SetValue>(value)) return IterateSet(tracer, set);
  if (auto* dict = As<DictValue>(value)) {
    DictViewValue keys(dict, DictViewValue::Part::kKeys);
    return IterateDict(tracer, &keys);
  }
  if (auto* tensor = As<TensorValue>(value)) return IterateTensor(tracer, tensor);
  if (auto* constant = As<ConstantValue>(value);
      constant != nullptr && !PyType_Check(constant->object.get())) {
    DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, ConstantItems(tracer, constant));
    return tracer.trace().New<IteratorValue>(std::move(items));
  }
  if (HasAttributes(value) || As<ConstantValue>(value)) return IterateObject(tracer, value);
  return GraphBreak("an iterable whose items are not known");
}

absl::StatusOr<Value*> NextOfExisting(Tracer& tracer, LazyIteratorValue* iterator,
                                      Value* sequence) {
  if (iterator->ended) return nullptr;
  if (tracer.IsChanged(sequence)) return GraphBreak("an iterator of a list that changes");
  const Source* source =
      tracer.sources().Intern(SourceKind::kIteratorItem, iterator->source(), iterator->taken);
  BorrowedRef item = AccessSource(*source, iterator->object.get(), tracer.root().roots);
  tracer.NoteChange(iterator);
  ++iterator->taken;
  iterator->ended = item == nullptr;
  if (!iterator->ended) return tracer.Lazy(item, source);
  tracer.trace().AddGuard(GuardKind::kAbsent, source);
  // It lets go of the sequence.
  const Source* of = tracer.sources().Intern(SourceKind::kIteratedSequence, iterator->source());
  DYNACC_RETURN_IF_ERROR(
      tracer.LetGo(of, AccessSource(*of, iterator->object.get(), tracer.root().roots)));
  return nullptr;
}

absl::StatusOr<Value*> NextByMethod(Tracer& tracer, Value* iterator) {
  DYNACC_ASSIGN_OR_RETURN(Value * method, SpecialMethod(tracer, iterator, "__next__"));
  if (method == nullptr) return GraphBreak("a step of an iterator");
  return tracer.CallNow(method, {});
}

bool IsStopIteration(const Tracer& tracer, const absl::Status& status) {
  if (!Tracer::IsRaised(status)) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(tracer.raised()->cls->object.get());
  return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_StopIteration)) != 0;
}

absl::StatusOr<Value*> NextItem(Tracer& tracer, Value* iterator) {
  DYNACC_RETURN_IF_ERROR(tracer.CountWork());
  if (auto* known = As<IteratorValue>(iterator)) {
    return known->next < known->items().size() ? known->items()[known->next++] : nullptr;
  }
  if (auto* lazy = As<LazyIteratorValue>(iterator)) return lazy->next();
  if (auto* generator = As<GeneratorValue>(iterator)) {
    return tracer.Resume(generator, tracer.None());
  }
  if (HasAttributes(iterator)) return NextOfObject(tracer, iterator);
  return GraphBreak("a step of an iterator");
}

absl::StatusOr<std::vector<Value*>> Drain(Tracer& tracer, Value* iterable) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (IsSequence(iterable)) return SequenceItems(tracer, iterable);
  if (auto* tensor = As<TensorValue>(iterable)) return TensorItems(tracer, tensor);
  DYNACC_ASSIGN_OR_RETURN(Value * iterator, Iterate(tracer, iterable));
  std::vector<Value*> items;
  for (;;) {
    DYNACC_ASSIGN_OR_RETURN(Value * item, NextItem(tracer, iterator));
    if (item == nullptr) return items;
    if (items.size() == kMaxDrained) return GraphBreak("an iterable of many items");
    items.push_back(item);
  }
}

absl::Status ForEachItem(Tracer& tracer, Value* iterable,
                         absl::FunctionRef<absl::Status(Value*)> what) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  const bool is_list = iterable->kind() == ValueKind::kList;
  if (As<TensorValue>(iterable) || (IsSequence(iterable) && !is_list)) {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<Value*> items, Drain(tracer, iterable));
    for (Value* item : items) DYNACC_RETURN_IF_ERROR(what(item));
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(Value * iterator, Iterate(tracer, iterable));
  return ForEachNext(tracer, iterator, is_list, what);
}

absl::Status ForEachListed(Tracer& tracer, Value* iterable,
                           absl::FunctionRef<absl::Status(Value*)> what) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (!MayTellLength(iterable)) return ForEachItem(tracer, iterable, what);
  DYNACC_ASSIGN_OR_RETURN(Value * iterator, Iterate(tracer, iterable));
  DYNACC_RETURN_IF_ERROR(AskLengthHint(tracer, iterable));
  return ForEachNext(tracer, iterator, /*is_endless=*/false, what);
}

absl::StatusOr<std::vector<Value*>> DrainAsList(Tracer& tracer, Value* iterable) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (!MayTellLength(iterable)) return Drain(tracer, iterable);
  std::vector<Value*> items;
  DYNACC_RETURN_IF_ERROR(ForEachListed(tracer, iterable, [&](Value* item) {
    items.push_back(item);
    return absl::OkStatus();
  }));
  return items;
}

absl::StatusOr<std::vector<Value*>> DrainIterator(Tracer& tracer, Value* iterable) {
  DYNACC_ASSIGN_OR_RETURN(iterable, tracer.Materialize(iterable));
  if (!MayTellLength(iterable)) return Drain(tracer, iterable);
  DYNACC_ASSIGN_OR_RETURN(Value * iterator, Iterate(tracer, iterable));
  if (HasAttributes(iterator)) return GraphBreak("a list of an iterator of a Python class");
  return Drain(tracer, iterator);
}

absl::StatusOr<int64_t> KnownLength(Tracer& tracer, Value* value) {
  if (IsSequence(value)) {
    DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, SequenceItems(tracer, value));
    return static_cast<int64_t>(items.size());
  }
  if (auto* deque = As<DequeValue>(value)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
    return static_cast<int64_t>(deque->items.size());
  }
  if (auto* view = As<DictViewValue>(value)) value = view->dict;
  if (auto* dict = As<DictValue>(value)) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
    return static_cast<int64_t>(dict->items.size());
  }
  if (auto* set = As<SetValue>(value)) return SetLength(tracer, set);
  auto* constant = As<ConstantValue>(value);
  if (constant != nullptr &&
      (IsPlainConstantValue(value) || PyRange_Check(constant->object.get()) ||
       PyFrozenSet_CheckExact(constant->object.get()))) {
    const Py_ssize_t size = PyObject_Size(constant->object.get());
    if (size >= 0) return static_cast<int64_t>(size);
    PyErr_Clear();
  }
  return -1;
}

}  // namespace dynacc
