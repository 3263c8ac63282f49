#include "frontend/cpython/describe.h"

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

constexpr size_t kMaxText = 60;  // characters of one object's repr that are still readable in a log

bool IsPlain(BorrowedRef object) {
  return object == Py_None || object == Py_Ellipsis || object == Py_NotImplemented ||
         PyLong_CheckExact(object) || PyBool_Check(object) || PyFloat_CheckExact(object) ||
         PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || PyComplex_CheckExact(object);
}

// repr of an exact builtin constant: no user code is behind it.
std::string ReprOfPlain(BorrowedRef object) {
  Ref repr = Ref::Steal(PyObject_Repr(object));
  if (!repr) {  // an int of more digits than sys.set_int_max_str_digits allows, or no memory
    PyErr_Clear();
    return "...";
  }
  std::string text = StrText(repr.get());
  return text.size() <= kMaxText ? text : text.substr(0, kMaxText) + "...";
}

std::string DescribeNamed(const char* what, BorrowedRef name) {
  return absl::StrCat(what, " ", name != nullptr && PyUnicode_Check(name) ? StrText(name) : "?");
}

}  // namespace

absl::string_view StrView(BorrowedRef str) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(str, &size);
  if (text != nullptr) return {text, static_cast<size_t>(size)};
  PyErr_Clear();
  return "?";
}

std::string TypeName(BorrowedRef object) {
  return object == nullptr ? "nothing" : Py_TYPE(object)->tp_name;
}

std::string DescribeObject(BorrowedRef object) {
  if (object == nullptr) return "nothing";
  if (object == Py_None || object == Py_Ellipsis) return ReprOfPlain(object);
  if (IsPlain(object)) return absl::StrCat(TypeName(object), " ", ReprOfPlain(object));
  if (PyModule_CheckExact(object)) {
    return DescribeNamed("module", PyDict_GetItemString(PyModule_GetDict(object), "__name__"));
  }
  if (PyType_Check(object)) {
    return absl::StrCat("type ", reinterpret_cast<PyTypeObject*>(object)->tp_name);
  }
  if (PyFunction_Check(object)) {
    return DescribeNamed("function", reinterpret_cast<PyFunctionObject*>(object)->func_qualname);
  }
  if (PyCFunction_CheckExact(object)) {
    return absl::StrCat("builtin ", reinterpret_cast<PyCFunctionObject*>(object)->m_ml->ml_name);
  }
  return absl::StrCat(TypeName(object), " object");
}

}  // namespace dynacc
