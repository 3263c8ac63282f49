#include "embed/host/python_values.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc {

// Builds a Tensor from its parts; embed.h keeps them private.
class TensorAccess {
 public:
  static Tensor Make(TensorView view, std::shared_ptr<void> owner) {
    Tensor tensor;
    tensor.view_ = std::move(view);
    tensor.owner_ = std::move(owner);
    return tensor;
  }
};

class ValueAccess {
 public:
  static const auto& Variant(const Value& value) { return value.value_; }
};

namespace {

struct ElementRow {
  const char* code;  // NumPy's array-interface code, without the byte order
  int64_t size;
};
constexpr ElementRow kElements[] = {{"b1", 1}, {"i1", 1}, {"u1", 1}, {"i2", 2},  {"u2", 2},
                                    {"i4", 4}, {"u4", 4}, {"i8", 8}, {"u8", 8},  {"f2", 2},
                                    {"f4", 4}, {"f8", 8}, {"c8", 8}, {"c16", 16}};

const ElementRow& Row(ElementType type) { return kElements[static_cast<int>(type)]; }

Ref TupleOf(const std::vector<int64_t>& numbers) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t i = 0; tuple && i < numbers.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, PyLong_FromLongLong(numbers[i]));
  }
  return tuple;
}

// numpy.asarray of an object with an __array_interface__: NumPy sees the memory where it is.
absl::StatusOr<Ref> ArrayOver(const TensorView& view) {
  Ref shape = TupleOf(view.shape);
  Ref strides = view.strides.empty() ? Ref::New(Py_None) : TupleOf(view.strides);
  const std::string code = absl::StrCat(Row(view.type).size == 1 ? "|" : "<", Row(view.type).code);
  Ref interface = Ref::Steal(Py_BuildValue(
      "{s:O,s:O,s:s,s:(K,O),s:i}", "shape", shape.get(), "strides", strides.get(), "typestr",
      code.c_str(), "data", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(view.data)),
      view.writable ? Py_False : Py_True, "version", 3));
  Ref types = Ref::Steal(PyImport_ImportModule("types"));
  if (!interface || !types) return TakeException();
  Ref holder = Ref::Steal(PyObject_CallMethod(types.get(), "SimpleNamespace", nullptr));
  if (!holder) return TakeException();
  if (PyObject_SetAttrString(holder.get(), "__array_interface__", interface.get()) < 0) {
    return TakeException();
  }
  Ref numpy = Ref::Steal(PyImport_ImportModule("numpy"));
  if (!numpy) return TakeException();
  Ref array = Ref::Steal(PyObject_CallMethod(numpy.get(), "asarray", "O", holder.get()));
  if (!array) return TakeException();
  return array;
}

absl::StatusOr<Ref> ListOf(const std::vector<Value>& values) {
  Ref list = Ref::Steal(PyList_New(0));
  if (!list) return TakeException();
  for (const Value& value : values) {
    DYNACC_ASSIGN_OR_RETURN(Ref item, ToPython(value));
    if (PyList_Append(list.get(), item.get()) < 0) return TakeException();
  }
  return list;
}

struct Converter {
  absl::StatusOr<Ref> operator()(std::monostate) const { return Ref::New(Py_None); }
  absl::StatusOr<Ref> operator()(bool value) const { return Ref::Steal(PyBool_FromLong(value)); }
  absl::StatusOr<Ref> operator()(int64_t value) const {
    return Ref::Steal(PyLong_FromLongLong(value));
  }
  absl::StatusOr<Ref> operator()(double value) const {
    return Ref::Steal(PyFloat_FromDouble(value));
  }
  absl::StatusOr<Ref> operator()(const std::string& value) const {
    return Ref::Steal(
        PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
  }
  absl::StatusOr<Ref> operator()(const TensorView& view) const { return ArrayOver(view); }
  absl::StatusOr<Ref> operator()(const Tensor& tensor) const { return ArrayOver(tensor.view()); }
  absl::StatusOr<Ref> operator()(const std::vector<Value>& values) const { return ListOf(values); }
};

absl::StatusOr<std::vector<int64_t>> NumbersOf(BorrowedRef tuple) {
  std::vector<int64_t> numbers;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
    numbers.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
  }
  if (PyErr_Occurred()) return TakeException();
  return numbers;
}

absl::StatusOr<ElementType> TypeOf(BorrowedRef array) {
  Ref dtype = Ref::Steal(PyObject_GetAttrString(array, "dtype"));
  Ref text = dtype ? Ref::Steal(PyObject_GetAttrString(dtype.get(), "str")) : Ref();
  const char* code = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (code == nullptr) return TakeException();
  for (size_t i = 0; i < std::size(kElements); ++i) {
    if (*code != '>' && absl::string_view(code + 1) == kElements[i].code) {
      return static_cast<ElementType>(i);
    }
  }
  return absl::UnimplementedError(
      absl::StrCat("an array of dtype ", code, " cannot be handed to the host"));
}

absl::StatusOr<Value> TensorOf(BorrowedRef array) {
  TensorView view;
  DYNACC_ASSIGN_OR_RETURN(view.type, TypeOf(array));
  Ref ctypes = Ref::Steal(PyObject_GetAttrString(array, "__array_interface__"));
  Ref shape = Ref::Steal(PyObject_GetAttrString(array, "shape"));
  Ref strides = Ref::Steal(PyObject_GetAttrString(array, "strides"));
  if (!ctypes || !shape || !strides) return TakeException();
  DYNACC_ASSIGN_OR_RETURN(view.shape, NumbersOf(shape.get()));
  DYNACC_ASSIGN_OR_RETURN(view.strides, NumbersOf(strides.get()));
  PyObject* data = PyDict_GetItemString(ctypes.get(), "data");  // (address, read-only)
  view.data = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
  view.writable = PyTuple_GET_ITEM(data, 1) == Py_False;
  return Value(TensorAccess::Make(std::move(view), Share(Ref::New(array))));
}

absl::StatusOr<Value> SequenceOf(BorrowedRef sequence) {
  std::vector<Value> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Value item, FromPython(PySequence_Fast_GET_ITEM(sequence, i)));
    values.push_back(std::move(item));
  }
  return Value(std::move(values));
}

absl::StatusOr<Value> IntegerOf(BorrowedRef object) {
  const int64_t value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred()) return TakeException();
  return Value(value);
}

std::string TracebackText(BorrowedRef type, BorrowedRef value, BorrowedRef trace) {
  Ref module = Ref::Steal(PyImport_ImportModule("traceback"));
  Ref lines =
      module ? Ref::Steal(PyObject_CallMethod(module.get(), "format_exception", "OOO", type,
                                              value ? value : Py_None, trace ? trace : Py_None))
             : Ref();
  Ref empty = Ref::Steal(PyUnicode_FromString(""));
  Ref text = lines ? Ref::Steal(PyUnicode_Join(empty.get(), lines.get())) : Ref();
  const char* chars = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (chars == nullptr) PyErr_Clear();
  return chars == nullptr ? "an exception that cannot be printed" : chars;
}

}  // namespace

std::shared_ptr<void> Share(Ref object) {
  return std::shared_ptr<void>(object.Release(), [](void* pointer) {
    if (!Py_IsInitialized()) return;  // the interpreter took the object with it
    GilScope gil;
    Py_DECREF(static_cast<PyObject*>(pointer));
  });
}

absl::Status TakeException() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (type == nullptr) return absl::InternalError("a Python call failed without an exception");
  PyErr_NormalizeException(&type, &value, &trace);
  Ref owned_type = Ref::Steal(type), owned_value = Ref::Steal(value),
      owned_trace = Ref::Steal(trace);
  return absl::UnknownError(TracebackText(type, value, trace));
}

absl::StatusOr<Ref> ToPython(const Value& value) {
  absl::StatusOr<Ref> object = std::visit(Converter(), ValueAccess::Variant(value));
  if (object.ok() && !*object) return TakeException();
  return object;
}

absl::StatusOr<Value> FromPython(BorrowedRef object) {
  if (object == Py_None) return Value();
  if (PyBool_Check(object)) return Value(object == Py_True);
  if (PyLong_Check(object)) return IntegerOf(object);
  if (PyFloat_Check(object)) return Value(PyFloat_AS_DOUBLE(object));
  if (PyUnicode_Check(object)) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) return TakeException();
    return Value(std::string(text, size));
  }
  if (PyTuple_Check(object) || PyList_Check(object)) return SequenceOf(object);
  if (PyObject_HasAttrString(object, "__array_interface__")) return TensorOf(object);
  return absl::UnimplementedError(
      absl::StrCat("a ", Py_TYPE(object)->tp_name, " cannot be handed to the host"));
}

}  // namespace dynacc
