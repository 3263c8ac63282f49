// Handlers that build, index and unpack tuples, lists, dicts, slices and constant strings.
#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

std::vector<Value*>* Items(Value* value) {
  if (auto* tuple = As<TupleValue>(value)) return &tuple->items;
  if (auto* list = As<ListValue>(value)) return &list->items;
  return nullptr;
}

// Index of an item by a constant key; GraphBreak (Python then raises) if it is out of range.
absl::StatusOr<int64_t> ItemIndex(Tracer& tracer, Value* key, size_t size) {
  DYNACC_ASSIGN_OR_RETURN(int64_t index, tracer.trace().ConstantInt(key));
  if (index < 0) index += static_cast<int64_t>(size);
  if (index < 0 || index >= static_cast<int64_t>(size))
    return RaisingBreak("an index out of range");
  return index;
}

absl::StatusOr<Ref> ConstantSlice(const SliceValue& slice) {
  PyObject* parts[3];
  Value* const values[3] = {slice.start, slice.stop, slice.step};
  for (int i = 0; i < 3; ++i) {
    auto* constant = As<ConstantValue>(values[i]);
    if (constant == nullptr) return GraphBreak("a slice of a list with changing bounds");
    parts[i] = constant->object.get();
  }
  return Ref::Steal(PySlice_New(parts[0], parts[1], parts[2]));
}

absl::StatusOr<Value*> SliceItems(Tracer& tracer, Value* container, const SliceValue& slice) {
  DYNACC_ASSIGN_OR_RETURN(Ref object, ConstantSlice(slice));
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(object.get(), &start, &stop, &step) < 0) {
    PyErr_Clear();
    return RaisingBreak("a slice that raises");
  }
  const std::vector<Value*>& items = *Items(container);
  const Py_ssize_t count = PySlice_AdjustIndices(items.size(), &start, &stop, step);
  std::vector<Value*> picked;
  for (Py_ssize_t i = 0; i < count; ++i) picked.push_back(items[start + i * step]);
  if (As<TupleValue>(container)) return tracer.trace().New<TupleValue>(std::move(picked));
  return tracer.trace().New<ListValue>(std::move(picked));
}

absl::StatusOr<Value*> DictItem(Tracer& tracer, ObjectValue* dict, Value* key) {
  auto* constant = As<ConstantValue>(key);
  if (constant == nullptr || !PyUnicode_CheckExact(constant->object.get())) {
    return GraphBreak("a dict key that is not a constant str");
  }
  tracer.trace().AddGuard(GuardKind::kTypeIs, dict->source(),
                          reinterpret_cast<PyObject*>(&PyDict_Type));
  BorrowedRef item = DictGetStr(dict->object.get(), constant->object.get());
  if (item == nullptr) return RaisingBreak("a key that the dict does not have");
  const Source* source =
      tracer.sources().Intern(SourceKind::kDictItem, dict->source(), 0, constant->object.get());
  return tracer.Lazy(item, source);
}

absl::StatusOr<Value*> FreshDictItem(DictValue* dict, Value* key) {
  auto* constant = As<ConstantValue>(key);
  if (constant == nullptr) return GraphBreak("a dict key that may change");
  for (auto& [name, item] : dict->items) {
    if (PyObject_RichCompareBool(name.get(), constant->object.get(), Py_EQ) == 1) return item;
  }
  return RaisingBreak("a key that the dict does not have");
}

absl::StatusOr<Value*> ConstantSubscript(Tracer& tracer, Value* container, Value* key) {
  Ref item = Ref::Steal(PyObject_GetItem(As<ConstantValue>(container)->object.get(),
                                         As<ConstantValue>(key)->object.get()));
  if (!item) {
    PyErr_Clear();
    return RaisingBreak("an index out of range");
  }
  return tracer.ConstantSteal(item.Release());
}

absl::StatusOr<Value*> Subscript(Tracer& tracer, Value* container, Value* key) {
  if (auto* tensor = As<TensorValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(key, tracer.RealizeDeep(key));
    return tracer.arrays().Subscript(tracer.trace(), tensor, key);
  }
  DYNACC_ASSIGN_OR_RETURN(key, tracer.Realize(key));
  if (std::vector<Value*>* items = Items(container)) {
    if (auto* slice = As<SliceValue>(key)) {
      DYNACC_RETURN_IF_ERROR(tracer.RealizeDeep(slice).status());
      return SliceItems(tracer, container, *slice);
    }
    DYNACC_ASSIGN_OR_RETURN(const int64_t index, ItemIndex(tracer, key, items->size()));
    return (*items)[index];
  }
  if (auto* dict = As<DictValue>(container)) return FreshDictItem(dict, key);
  if (auto* object = As<ObjectValue>(container);
      object != nullptr && PyDict_CheckExact(object->object.get())) {
    return DictItem(tracer, object, key);
  }
  if (IsPlainConstantValue(container) && IsPlainConstantValue(key)) {
    return ConstantSubscript(tracer, container, key);
  }
  return GraphBreak("an item of an object");
}

// The items of an iterable whose items are known at capture.
absl::StatusOr<std::vector<Value*>> KnownItems(Tracer& tracer, Value* value) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Realize(value));
  if (std::vector<Value*>* items = Items(value)) return *items;
  auto* constant = As<ConstantValue>(value);
  if (constant != nullptr && PyTuple_CheckExact(constant->object.get())) {
    std::vector<Value*> items;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant->object.get()); ++i) {
      items.push_back(tracer.Constant(PyTuple_GET_ITEM(constant->object.get(), i)));
    }
    return items;
  }
  return GraphBreak("an iterable whose items are not known");
}

absl::StatusOr<std::vector<Value*>> UnpackTensor(Tracer& tracer, TensorValue* tensor, int count) {
  if (tensor->node->rank() == 0 || tensor->hint_shape[0] != count) {
    return RaisingBreak("unpacking of an array of another length");
  }
  ScalarProgram& program = tracer.trace().graph().scalars();
  tracer.trace().SameSize(tensor->node->shape[0], count, program.Int(count), count);
  std::vector<Value*> items;
  for (int i = 0; i < count; ++i) {
    Value* index = tracer.ConstantSteal(PyLong_FromLong(i));
    DYNACC_ASSIGN_OR_RETURN(Value * item, tracer.arrays().Subscript(tracer.trace(), tensor, index));
    items.push_back(item);
  }
  return items;
}

// A list made inside, to be changed; any other list is a graph break.
absl::StatusOr<ListValue*> FreshList(Value* value) {
  auto* list = As<ListValue>(value);
  if (list == nullptr || list->source() != nullptr) return GraphBreak("a change of a list");
  return list;
}

}  // namespace

namespace handlers {

absl::Status BuildTuple(Tracer& tracer, const Instruction& instruction) {
  tracer.Push(tracer.trace().New<TupleValue>(tracer.PopMany(instruction.arg)));
  return absl::OkStatus();
}

absl::Status BuildList(Tracer& tracer, const Instruction& instruction) {
  tracer.Push(tracer.trace().New<ListValue>(tracer.PopMany(instruction.arg)));
  return absl::OkStatus();
}

absl::Status BuildMap(Tracer& tracer, const Instruction& instruction) {
  const std::vector<Value*> flat = tracer.PopMany(2 * instruction.arg);
  auto* dict = tracer.trace().New<DictValue>();
  for (size_t i = 0; i < flat.size(); i += 2) {
    auto* key = As<ConstantValue>(flat[i]);
    if (key == nullptr || !PyUnicode_CheckExact(key->object.get())) {
      return GraphBreak("a dict key that is not a constant str");
    }
    if (FreshDictItem(dict, key).ok()) return GraphBreak("a dict display with equal keys");
    dict->items.emplace_back(key->object, flat[i + 1]);
  }
  tracer.Push(dict);
  return absl::OkStatus();
}

absl::Status BuildConstKeyMap(Tracer& tracer, const Instruction& instruction) {
  auto* keys = As<ConstantValue>(tracer.Pop());
  if (keys == nullptr) return GraphBreak("a dict display whose keys are not constant");
  const std::vector<Value*> values = tracer.PopMany(instruction.arg);
  auto* dict = tracer.trace().New<DictValue>();
  for (int i = 0; i < instruction.arg; ++i) {
    BorrowedRef key = PyTuple_GET_ITEM(keys->object.get(), i);
    if (!PyUnicode_CheckExact(key)) return GraphBreak("a dict key that is not a constant str");
    dict->items.emplace_back(Ref::New(key), values[i]);
  }
  tracer.Push(dict);
  return absl::OkStatus();
}

absl::Status BuildSlice(Tracer& tracer, const Instruction& instruction) {
  Value* step = instruction.arg == 3 ? tracer.Pop() : tracer.None();
  Value* stop = tracer.Pop();
  Value* start = tracer.Pop();
  tracer.Push(tracer.trace().New<SliceValue>(start, stop, step));
  return absl::OkStatus();
}

absl::Status BuildString(Tracer& tracer, const Instruction& instruction) {
  Ref text = Ref::Steal(PyUnicode_New(0, 127));
  for (Value* piece : tracer.PopMany(instruction.arg)) {
    if (!IsPlainConstantValue(piece)) return GraphBreak("a string of changing parts");
    text = Ref::Steal(PyUnicode_Concat(text.get(), As<ConstantValue>(piece)->object.get()));
    if (!text) {
      PyErr_Clear();
      return GraphBreak("a string that cannot be built");
    }
  }
  tracer.Push(tracer.ConstantSteal(text.Release()));
  return absl::OkStatus();
}

absl::Status FormatValue(Tracer& tracer, const Instruction& instruction) {
  // Only plain formatting of constants, whose __format__ and __str__ are Python's own.
  if (instruction.arg != 0) return GraphBreak("string formatting with a format");
  DYNACC_ASSIGN_OR_RETURN(Value * value, tracer.Realize(tracer.Pop()));
  if (!IsPlainConstantValue(value)) return GraphBreak("string formatting of a changing value");
  tracer.Push(tracer.ConstantSteal(PyObject_Str(As<ConstantValue>(value)->object.get())));
  return absl::OkStatus();
}

absl::Status ListAppend(Tracer& tracer, const Instruction& instruction) {
  Value* item = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(ListValue * list, FreshList(tracer.Peek(instruction.arg - 1)));
  list->items.push_back(item);
  return absl::OkStatus();
}

absl::Status ListExtend(Tracer& tracer, const Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, KnownItems(tracer, tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(ListValue * list, FreshList(tracer.Peek(instruction.arg - 1)));
  list->items.insert(list->items.end(), items.begin(), items.end());
  return absl::OkStatus();
}

absl::Status ListToTuple(Tracer& tracer, const Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(ListValue * list, FreshList(tracer.Pop()));
  tracer.Push(tracer.trace().New<TupleValue>(list->items));
  return absl::OkStatus();
}

absl::Status MapAdd(Tracer& tracer, const Instruction& instruction) {
  Value* item = tracer.Pop();
  auto* key = As<ConstantValue>(tracer.Pop());
  auto* dict = As<DictValue>(tracer.Peek(instruction.arg - 1));
  if (dict == nullptr || dict->source() || key == nullptr || FreshDictItem(dict, key).ok()) {
    return GraphBreak("a change of a dict");
  }
  dict->items.emplace_back(key->object, item);
  return absl::OkStatus();
}

absl::Status DictMerge(Tracer& tracer, const Instruction& instruction) {
  auto* from = As<DictValue>(tracer.Pop());
  auto* into = As<DictValue>(tracer.Peek(instruction.arg - 1));
  if (from == nullptr || into == nullptr || into->source()) {
    return GraphBreak("keyword arguments from a dict");
  }
  for (auto& [key, item] : from->items) {
    if (FreshDictItem(into, tracer.Constant(key.get())).ok()) {
      return RaisingBreak("a keyword argument given twice");
    }
    into->items.emplace_back(key, item);
  }
  return absl::OkStatus();
}

absl::Status BinarySubscr(Tracer& tracer, const Instruction&) {
  Value* key = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(Value * container, tracer.Realize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(Value * item, Subscript(tracer, container, key));
  tracer.Push(item);
  return absl::OkStatus();
}

absl::Status StoreSubscr(Tracer& tracer, const Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(Value * key, tracer.Realize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(Value * container, tracer.Realize(tracer.Pop()));
  Value* item = tracer.Pop();
  if (auto* tensor = As<TensorValue>(container)) {
    DYNACC_ASSIGN_OR_RETURN(key, tracer.RealizeDeep(key));
    DYNACC_ASSIGN_OR_RETURN(item, tracer.RealizeDeep(item));
    return tracer.arrays().StoreSubscript(tracer.trace(), tensor, key, item);
  }
  if (auto* dict = As<DictValue>(container); dict && !dict->source()) {
    auto* constant = As<ConstantValue>(key);
    if (constant == nullptr || !PyUnicode_CheckExact(constant->object.get())) {
      return GraphBreak("a dict key that is not a constant str");
    }
    for (auto& [name, old] : dict->items) {
      if (PyUnicode_Compare(name.get(), constant->object.get()) == 0) {
        old = item;
        return absl::OkStatus();
      }
    }
    dict->items.emplace_back(constant->object, item);
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(ListValue * list, FreshList(container));
  DYNACC_ASSIGN_OR_RETURN(const int64_t index, ItemIndex(tracer, key, list->items.size()));
  list->items[index] = item;
  return absl::OkStatus();
}

absl::Status UnpackSequence(Tracer& tracer, const Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(Value * value, tracer.Realize(tracer.Pop()));
  std::vector<Value*> items;
  if (auto* tensor = As<TensorValue>(value)) {
    DYNACC_ASSIGN_OR_RETURN(items, UnpackTensor(tracer, tensor, instruction.arg));
  } else {
    DYNACC_ASSIGN_OR_RETURN(items, KnownItems(tracer, value));
  }
  if (static_cast<int>(items.size()) != instruction.arg) {
    return RaisingBreak("unpacking of another number of items");
  }
  for (auto item = items.rbegin(); item != items.rend(); ++item) tracer.Push(*item);
  return absl::OkStatus();
}

absl::Status GetLen(Tracer& tracer, const Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, KnownItems(tracer, tracer.Peek(0)));
  tracer.Push(tracer.ConstantSteal(PyLong_FromSize_t(items.size())));
  return absl::OkStatus();
}

absl::Status GetIter(Tracer& tracer, const Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(Value * value, tracer.Realize(tracer.Pop()));
  if (As<IteratorValue>(value) != nullptr) {
    tracer.Push(value);
    return absl::OkStatus();
  }
  if (auto* list = As<ListValue>(value); list != nullptr && list->items.size() <= kMaxUnroll) {
    tracer.Push(tracer.trace().New<IteratorValue>(list));
    return absl::OkStatus();
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, KnownItems(tracer, value));
  if (items.size() > kMaxUnroll) return GraphBreak("a loop too long to unroll");
  tracer.Push(tracer.trace().New<IteratorValue>(std::move(items)));
  return absl::OkStatus();
}

absl::Status ForIter(Tracer& tracer, const Instruction& instruction) {
  auto* iterator = As<IteratorValue>(tracer.Peek(0));
  if (iterator == nullptr) return GraphBreak("a step of an iterator");
  if (iterator->next < iterator->items().size()) {
    tracer.Push(iterator->items()[iterator->next++]);
    return absl::OkStatus();
  }
  tracer.Pop();
  tracer.Jump(instruction.target);
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc
