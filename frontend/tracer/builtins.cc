#include "frontend/tracer/builtins.h"

#include <opcode.h>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

const std::vector<Value*>* Items(Value* value) {
  if (auto* tuple = As<TupleValue>(value)) return &tuple->items;
  if (auto* list = As<ListValue>(value)) return &list->items;
  return nullptr;
}

absl::Status WantArgs(const BuiltinCall& call, size_t least, size_t most) {
  if (call.has_keywords || call.args.size() < least || call.args.size() > most) {
    return GraphBreak("a builtin called with such arguments");
  }
  return absl::OkStatus();
}

absl::StatusOr<Value*> Len(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  if (const auto* items = Items(call.args[0])) {
    return tracer.ConstantSteal(PyLong_FromSize_t(items->size()));
  }
  if (IsPlainConstantValue(call.args[0])) {
    const Py_ssize_t size = PyObject_Size(As<ConstantValue>(call.args[0])->object.get());
    if (size >= 0) return tracer.ConstantSteal(PyLong_FromSsize_t(size));
    PyErr_Clear();
  }
  auto* tensor = As<TensorValue>(call.args[0]);
  if (tensor == nullptr || tensor->node->rank() == 0) return GraphBreak("len of an object");
  int64_t size;
  ScalarProgram& program = tracer.trace().graph().scalars();
  const ScalarId id = tensor->node->shape[0];
  if (program.IsIntConst(id, &size)) return tracer.ConstantSteal(PyLong_FromLongLong(size));
  ScalarValue hint;
  hint.i = tensor->hint_shape[0];
  return tracer.trace().New<NumberValue>(id, ScalarType::kInt, hint);
}

// A short range becomes a tuple of its numbers; a long one is left to Python, whose iterator then
// ends a segment at each step.
absl::StatusOr<Value*> Range(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 3));
  int64_t bounds[3] = {0, 0, 1};
  for (size_t i = 0; i < call.args.size(); ++i) {
    auto* constant = As<ConstantValue>(call.args[i]);
    if (constant == nullptr || !PyLong_CheckExact(constant->object.get())) {
      return GraphBreak("a range with changing bounds");
    }
    DYNACC_ASSIGN_OR_RETURN(bounds[call.args.size() == 1 ? 1 : i],
                            tracer.trace().ConstantInt(constant));
  }
  const auto [start, stop, step] = bounds;
  if (step == 0) return RaisingBreak("a range that raises");
  std::vector<Value*> items;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (items.size() == kMaxUnroll) return GraphBreak("a loop too long to unroll");
    items.push_back(tracer.ConstantSteal(PyLong_FromLongLong(i)));
  }
  if (!tracer.limits().allow_iterators) return GraphBreak("a range that is kept");
  return tracer.trace().New<IteratorValue>(std::move(items));
}

absl::StatusOr<Value*> Abs(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  Value* value = call.args[0];
  if (auto* tensor = As<TensorValue>(value)) {
    return tracer.arrays().CallMethod(tracer.trace(), tensor, "__abs__", {});
  }
  if (auto* constant = As<ConstantValue>(value); constant && IsPlainConstantValue(value)) {
    if (PyObject* result = PyNumber_Absolute(constant->object.get())) {
      return tracer.ConstantSteal(result);
    }
    PyErr_Clear();
  }
  return GraphBreak("abs of such a value");
}

absl::StatusOr<Value*> MinMax(Tracer& tracer, const BuiltinCall& call) {
  if (call.has_keywords || call.args.size() != 2) {
    return GraphBreak("min or max of other than two numbers");
  }
  if (!IsNumberValue(call.args[0]) || !IsNumberValue(call.args[1])) {
    return GraphBreak("min or max of objects");
  }
  Ref name = Ref::Steal(PyObject_GetAttrString(call.callable, "__name__"));
  const bool is_max = PyUnicode_CompareWithASCIIString(name.get(), "max") == 0;
  if (IsPlainConstantValue(call.args[0]) && IsPlainConstantValue(call.args[1])) {
    Ref result = Ref::Steal(
        PyObject_CallFunctionObjArgs(call.callable, As<ConstantValue>(call.args[0])->object.get(),
                                     As<ConstantValue>(call.args[1])->object.get(), nullptr));
    return tracer.ConstantSteal(result.Release());
  }
  for (Value* value : call.args) {
    auto* number = As<NumberValue>(value);
    if (number != nullptr && number->type == ScalarType::kFloat) {
      return GraphBreak("min or max of changing floats");
    }
  }
  return NumberApply(tracer, is_max ? ScalarOp::kMax : ScalarOp::kMin, call.args[0], call.args[1]);
}

// The type of the object that a value stands for, or null if it has none yet.
BorrowedRef TypeOf(Value* value) {
  if (auto* constant = As<ConstantValue>(value)) {
    return reinterpret_cast<PyObject*>(Py_TYPE(constant->object.get()));
  }
  if (As<TupleValue>(value)) return reinterpret_cast<PyObject*>(&PyTuple_Type);
  if (As<ListValue>(value)) return reinterpret_cast<PyObject*>(&PyList_Type);
  if (As<DictValue>(value)) return reinterpret_cast<PyObject*>(&PyDict_Type);
  if (auto* number = As<NumberValue>(value)) {
    return reinterpret_cast<PyObject*>(number->type == ScalarType::kInt     ? &PyLong_Type
                                       : number->type == ScalarType::kFloat ? &PyFloat_Type
                                                                            : &PyBool_Type);
  }
  return nullptr;
}

bool IsPlainType(BorrowedRef type) { return PyType_Check(type) && Py_TYPE(type) == &PyType_Type; }

absl::StatusOr<Value*> IsInstance(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 2, 2));
  auto* classes = As<ConstantValue>(call.args[1]);
  BorrowedRef type = TypeOf(call.args[0]);
  if (auto* object = As<ObjectValue>(call.args[0])) {
    type = reinterpret_cast<PyObject*>(Py_TYPE(object->object.get()));
    tracer.trace().AddGuard(GuardKind::kTypeIs, object->source(), type);
  }
  if (type == nullptr || classes == nullptr || !IsPlainType(classes->object.get())) {
    return GraphBreak("isinstance of such a value or class");
  }
  const bool answer = PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type),
                                       reinterpret_cast<PyTypeObject*>(classes->object.get()));
  return tracer.Constant(answer ? Py_True : Py_False);
}

absl::StatusOr<Value*> Enumerate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  const auto* items = Items(call.args[0]);
  if (items == nullptr || !tracer.limits().allow_iterators) return GraphBreak("enumerate");
  std::vector<Value*> pairs;
  for (size_t i = 0; i < items->size(); ++i) {
    Value* index = tracer.ConstantSteal(PyLong_FromSize_t(i));
    pairs.push_back(tracer.trace().New<TupleValue>(std::vector<Value*>{index, (*items)[i]}));
  }
  return tracer.trace().New<IteratorValue>(std::move(pairs));
}

absl::StatusOr<Value*> Zip(Tracer& tracer, const BuiltinCall& call) {
  if (call.has_keywords || call.args.empty() || !tracer.limits().allow_iterators) {
    return GraphBreak("zip");
  }
  size_t length = SIZE_MAX;
  for (Value* arg : call.args) {
    const auto* items = Items(arg);
    if (items == nullptr) return GraphBreak("zip of objects");
    length = std::min(length, items->size());
  }
  std::vector<Value*> rows;
  for (size_t i = 0; i < length; ++i) {
    std::vector<Value*> row;
    for (Value* arg : call.args) row.push_back((*Items(arg))[i]);
    rows.push_back(tracer.trace().New<TupleValue>(std::move(row)));
  }
  return tracer.trace().New<IteratorValue>(std::move(rows));
}

absl::StatusOr<Value*> Reversed(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  const auto* items = Items(call.args[0]);
  if (items == nullptr || !tracer.limits().allow_iterators) return GraphBreak("reversed");
  return tracer.trace().New<IteratorValue>(std::vector<Value*>(items->rbegin(), items->rend()));
}

absl::StatusOr<std::vector<Value*>> Drain(Value* value) {
  if (const auto* items = Items(value)) return *items;
  auto* iterator = As<IteratorValue>(value);
  if (iterator == nullptr) return GraphBreak("an iterable whose items are not known");
  std::vector<Value*> rest(iterator->items().begin() + iterator->next, iterator->items().end());
  iterator->next = iterator->items().size();
  return rest;
}

absl::StatusOr<Value*> MakeTuple(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  if (As<TupleValue>(call.args[0])) return call.args[0];
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, Drain(call.args[0]));
  return tracer.trace().New<TupleValue>(std::move(items));
}

absl::StatusOr<Value*> MakeList(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 0, 1));
  std::vector<Value*> items;
  if (!call.args.empty()) {
    DYNACC_ASSIGN_OR_RETURN(items, Drain(call.args[0]));
  }
  return tracer.trace().New<ListValue>(std::move(items));
}

// Calls a pure builtin on constants.
absl::StatusOr<Value*> FoldCall(Tracer& tracer, const BuiltinCall& call) {
  Ref args = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(call.args.size())));
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (!IsPlainConstantValue(call.args[i]) || call.has_keywords) {
      return GraphBreak("a builtin called with a value that may change");
    }
    PyTuple_SET_ITEM(args.get(), i, Py_NewRef(As<ConstantValue>(call.args[i])->object.get()));
  }
  PyObject* result = PyObject_CallObject(call.callable, args.get());
  if (result == nullptr) {
    PyErr_Clear();
    return RaisingBreak("a builtin that raises");
  }
  return tracer.ConstantSteal(result);
}

absl::StatusOr<Value*> MakeFloat(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  auto* number = As<NumberValue>(call.args[0]);
  if (number == nullptr) return FoldCall(tracer, call);
  if (number->type == ScalarType::kFloat) return call.args[0];
  return NumberBinary(tracer, NB_MULTIPLY, number, tracer.ConstantSteal(PyFloat_FromDouble(1.0)));
}

absl::StatusOr<Value*> MakeInt(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  auto* number = As<NumberValue>(call.args[0]);
  if (number != nullptr && number->type == ScalarType::kInt) return call.args[0];
  return FoldCall(tracer, call);
}

absl::StatusOr<Value*> Sum(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 1, 1));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> items, Drain(call.args[0]));
  Value* total = tracer.ConstantSteal(PyLong_FromLong(0));
  for (Value* item : items) {
    DYNACC_ASSIGN_OR_RETURN(item, tracer.Realize(item));
    const bool tensor = As<TensorValue>(total) || As<TensorValue>(item);
    if (!tensor && (!IsNumberValue(total) || !IsNumberValue(item))) {
      return GraphBreak("sum of objects");
    }
    // CPython adds floats with a compensation only from 3.12 on; here plainly.
    absl::StatusOr<Value*> next =
        tensor ? tracer.arrays().Binary(tracer.trace(), NB_ADD, false, total, item)
               : NumberBinary(tracer, NB_ADD, total, item);
    if (!next.ok()) return next.status();
    total = *next;
  }
  return total;
}

absl::StatusOr<Value*> ListAppend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 2, 2));
  auto* list = As<ListValue>(call.args[0]);
  if (list == nullptr || list->source() != nullptr) return GraphBreak("a change of a list");
  list->items.push_back(call.args[1]);
  return tracer.None();
}

absl::StatusOr<Value*> DictGet(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(WantArgs(call, 2, 3));
  auto* dict = As<DictValue>(call.args[0]);
  auto* key = As<ConstantValue>(call.args[1]);
  if (dict == nullptr || key == nullptr) return GraphBreak("dict.get of an existing dict");
  for (auto& [name, item] : dict->items) {
    if (PyObject_RichCompareBool(name.get(), key->object.get(), Py_EQ) == 1) return item;
  }
  return call.args.size() == 3 ? call.args[2] : tracer.None();
}

using BuiltinFn = absl::StatusOr<Value*> (*)(Tracer&, const BuiltinCall&);

// The genuine object named by a row, or null if its module is not loaded.
Ref FindBuiltin(const char* owner, const char* name) {
  Ref holder = Ref::New(PyEval_GetBuiltins());
  Ref found;
  if (*owner == '\0') {
    found = Ref::New(PyDict_GetItemString(holder.get(), name));
  } else if (BorrowedRef type = PyDict_GetItemString(holder.get(), owner)) {
    found = Ref::Steal(PyObject_GetAttrString(type, name));
  } else {
    Ref owner_name = Ref::Steal(PyUnicode_FromString(owner));
    Ref module = Ref::Steal(PyImport_GetModule(owner_name.get()));  // never imports
    if (module) found = Ref::Steal(PyObject_GetAttrString(module.get(), name));
  }
  PyErr_Clear();
  return found;
}

const absl::flat_hash_map<PyObject*, BuiltinFn>& Table() {
  static const auto& table = *new absl::flat_hash_map<PyObject*, BuiltinFn>([] {
    absl::flat_hash_map<PyObject*, BuiltinFn> rows;
#define DYNACC_BUILTIN(owner, name, function) \
  if (Ref object = FindBuiltin(owner, name)) rows[object.Release()] = function;
#include "frontend/tracer/builtins.def"
#undef DYNACC_BUILTIN
    return rows;
  }());
  return table;
}

}  // namespace

absl::StatusOr<Value*> CallBuiltin(Tracer& tracer, const BuiltinCall& call) {
  const auto found = Table().find(call.callable);
  if (found == Table().end()) return absl::NotFoundError("");
  return found->second(tracer, call);
}

}  // namespace dynacc
