#include "frontend/numpy/trace/function_table.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "frontend/numpy/capi/numpy_api.h"

namespace dynacc::numpy {
namespace {

constexpr NumpyFunctionRow kFunctions[] = {
#define DYNACC_NUMPY_FUNCTION(name, handler, signature, op) {name, handler, signature, Op::k##op},
#include "frontend/numpy/trace/numpy_functions.def"
#undef DYNACC_NUMPY_FUNCTION
};

constexpr NumpyFunctionRow kMethods[] = {
#define DYNACC_NUMPY_METHOD(name, handler, signature, op) {name, handler, signature, Op::k##op},
#include "frontend/numpy/trace/numpy_methods.def"
#undef DYNACC_NUMPY_METHOD
};

constexpr NumpyAttributeRow kAttributes[] = {
#define DYNACC_NUMPY_ATTRIBUTE(name, getter) {name, getter},
#include "frontend/numpy/trace/numpy_attributes.def"
#undef DYNACC_NUMPY_ATTRIBUTE
};

}  // namespace

BorrowedRef FindDotted(BorrowedRef module, absl::string_view name) {
  BorrowedRef object = module;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(name, '.'))) {
    if (object == nullptr || !PyModule_Check(object)) return nullptr;
    object = PyDict_GetItemString(PyModule_GetDict(object), part.c_str());
  }
  return object;
}

bool IsNumpys(BorrowedRef object) {
  if (PyType_Check(object)) {
    return absl::StartsWith(reinterpret_cast<PyTypeObject*>(object)->tp_name, "numpy.");
  }
  if (Py_TYPE(object) == &PyUFunc_Type) return true;
  Ref module = Ref::Steal(PyObject_GetAttrString(object, "__module__"));
  const char* text =
      module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
  PyErr_Clear();
  return text != nullptr && absl::StartsWith(text, "numpy");
}

absl::Span<const NumpyFunctionRow> NumpyFunctions() { return kFunctions; }
absl::Span<const NumpyFunctionRow> NumpyMethods() { return kMethods; }
absl::Span<const NumpyAttributeRow> NumpyAttributes() { return kAttributes; }

const NumpyAttributeRow* FindAttribute(absl::string_view name) {
  const auto* found = absl::c_find_if(
      kAttributes, [name](const NumpyAttributeRow& row) { return name == row.name; });
  return found == std::end(kAttributes) ? nullptr : found;
}

}  // namespace dynacc::numpy
