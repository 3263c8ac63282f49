#include "embed/host/python_values.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "embed/host/arrays.h"
#include "embed/host/device_arrays.h"
#include "embed/host/errors.h"
#include "embed/host/object_handle.h"
#include "runtime/base/status_macros.h"

namespace dynacc {

class ValueAccess {
 public:
  static const auto& Variant(const Value& value) { return value.value_; }
};

namespace {

// A container that holds itself would never end.
constexpr int kMaxDepth = 100;

absl::StatusOr<Ref> Checked(PyObject* object) {
  if (object == nullptr) return TakeException();
  return Ref::Steal(object);
}

absl::StatusOr<Ref> TextFrom(absl::string_view text) {
  return Checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

absl::StatusOr<Ref> ListFrom(const List& values) {
  DYNACC_ASSIGN_OR_RETURN(Ref list, Checked(PyList_New(static_cast<Py_ssize_t>(values.size()))));
  for (size_t i = 0; i < values.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Ref item, ToPython(values[i]));
    PyList_SET_ITEM(list.get(), i, item.Release());
  }
  return list;
}

struct Converter {
  absl::StatusOr<Ref> operator()(std::monostate) const { return Ref::New(Py_None); }
  absl::StatusOr<Ref> operator()(bool value) const { return Ref::New(value ? Py_True : Py_False); }
  absl::StatusOr<Ref> operator()(int64_t value) const {
    return Checked(PyLong_FromLongLong(value));
  }
  absl::StatusOr<Ref> operator()(uint64_t value) const {
    return Checked(PyLong_FromUnsignedLongLong(value));
  }
  absl::StatusOr<Ref> operator()(double value) const { return Checked(PyFloat_FromDouble(value)); }
  absl::StatusOr<Ref> operator()(const std::string& value) const { return TextFrom(value); }
  absl::StatusOr<Ref> operator()(const TensorView& view) const { return ArrayOver(view, nullptr); }
  absl::StatusOr<Ref> operator()(const Tensor& tensor) const {
    return ArrayOver(tensor.view(), TensorAccess::Owner(tensor));
  }
  absl::StatusOr<Ref> operator()(const List& values) const { return ListFrom(values); }
  absl::StatusOr<Ref> operator()(const Dict& pairs) const { return DictFrom(pairs); }
  absl::StatusOr<Ref> operator()(const Object& object) const {
    BorrowedRef held = ObjectAccess::Get(object);
    if (held == nullptr) return absl::InvalidArgumentError("an Object that holds no object");
    return Ref::New(held);
  }
};

absl::StatusOr<Value> FromObject(BorrowedRef object, int depth);

Value AsObject(BorrowedRef object) { return ObjectAccess::Make<Object>(Ref::New(object)); }

// Text with lone surrogates is no UTF-8 and stays an object.
absl::StatusOr<Value> FromText(BorrowedRef object) {
  Py_ssize_t size;
  if (const char* text = PyUnicode_AsUTF8AndSize(object, &size)) {
    return Value(std::string(text, size));
  }
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return TakeException();
  PyErr_Clear();
  return AsObject(object);
}

// Integers beyond 64 bits stay objects.
Value FromInteger(BorrowedRef object) {
  int overflow;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return value;
  const uint64_t large = overflow < 0 ? 0 : PyLong_AsUnsignedLongLong(object);
  const bool fits = overflow > 0 && PyErr_Occurred() == nullptr;
  PyErr_Clear();
  return fits ? Value(large) : AsObject(object);
}

// Of a copy: reading an item may run Python code that changes the container.
absl::StatusOr<Value> FromSequence(BorrowedRef sequence, int depth) {
  DYNACC_ASSIGN_OR_RETURN(Ref tuple, Checked(PySequence_Tuple(sequence)));
  List values;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Value item, FromObject(PyTuple_GET_ITEM(tuple.get(), i), depth + 1));
    values.push_back(std::move(item));
  }
  return Value(std::move(values));
}

// Whether every key is text that has a UTF-8 form.
bool HasOnlyTextKeys(BorrowedRef dict) {
  PyObject *key, *item;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &item);) {
    if (!PyUnicode_CheckExact(key)) return false;
    if (PyUnicode_AsUTF8(key) != nullptr) continue;
    PyErr_Clear();
    return false;
  }
  return true;
}

absl::StatusOr<Value> FromDict(BorrowedRef dict, int depth) {
  DYNACC_ASSIGN_OR_RETURN(Ref items, Checked(PyDict_Items(dict)));
  Dict pairs;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    BorrowedRef item = PyList_GET_ITEM(items.get(), i);  // (key, value)
    DYNACC_ASSIGN_OR_RETURN(Value name, FromText(PyTuple_GET_ITEM(item, 0)));
    DYNACC_ASSIGN_OR_RETURN(Value value, FromObject(PyTuple_GET_ITEM(item, 1), depth + 1));
    pairs.emplace_back(name.As<std::string>(), std::move(value));
  }
  return Value(std::move(pairs));
}

absl::StatusOr<Value> FromScalar(BorrowedRef object) {
  DYNACC_ASSIGN_OR_RETURN(Ref item, Checked(PyObject_CallMethod(object, "item", nullptr)));
  if (PyBool_Check(item.get()) || PyLong_Check(item.get()) || PyFloat_Check(item.get())) {
    return FromObject(item.get(), kMaxDepth);
  }
  return AsObject(object);
}

absl::StatusOr<Value> FromNativeTensor(BorrowedRef object) {
  DYNACC_ASSIGN_OR_RETURN(Tensor tensor, NativeTensorOf(object));
  return Value(std::move(tensor));
}

absl::StatusOr<Value> FromObject(BorrowedRef object, int depth) {
  if (object == Py_None) return Value();
  if (PyBool_Check(object)) return Value(object == Py_True);
  if (PyLong_Check(object)) return FromInteger(object);
  if (PyFloat_Check(object)) return Value(PyFloat_AS_DOUBLE(object));
  if (PyUnicode_CheckExact(object)) return FromText(object);
  if (depth < kMaxDepth) {
    if (PyTuple_Check(object) || PyList_Check(object)) return FromSequence(object, depth);
    if (PyDict_CheckExact(object) && HasOnlyTextKeys(object)) return FromDict(object, depth);
  }
  if (std::optional<Tensor> tensor = PlainTensorOf(object)) return Value(*std::move(tensor));
  if (IsNativeTensor(object)) return FromNativeTensor(object);
  if (IsArrayScalar(object)) return FromScalar(object);
  DYNACC_ASSIGN_OR_RETURN(std::optional<Tensor> tensor, TensorOf(object));
  if (tensor.has_value()) return Value(*std::move(tensor));
  return AsObject(object);
}

}  // namespace

absl::StatusOr<Ref> ToPython(const Value& value) {
  return std::visit(Converter(), ValueAccess::Variant(value));
}

absl::StatusOr<Value> FromPython(BorrowedRef object) { return FromObject(object, 0); }

absl::StatusOr<Ref> TupleFrom(const std::vector<Value>& values) {
  DYNACC_ASSIGN_OR_RETURN(Ref tuple, Checked(PyTuple_New(static_cast<Py_ssize_t>(values.size()))));
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StatusOr<Ref> item = ToPython(values[i]);
    if (!item.ok()) return Annotate(item.status(), absl::StrCat("argument ", i + 1));
    PyTuple_SET_ITEM(tuple.get(), i, item->Release());
  }
  return tuple;
}

absl::StatusOr<Ref> DictFrom(const Dict& pairs) {
  DYNACC_ASSIGN_OR_RETURN(Ref dict, Checked(PyDict_New()));
  for (const auto& [name, value] : pairs) {
    DYNACC_ASSIGN_OR_RETURN(Ref key, TextFrom(name));
    absl::StatusOr<Ref> item = ToPython(value);
    if (!item.ok()) return Annotate(item.status(), absl::StrCat("argument ", name));
    if (PyDict_SetItem(dict.get(), key.get(), item->get()) < 0) return TakeException();
  }
  return dict;
}

}  // namespace dynacc
