#include "frontend/arrays/numpy/inlined.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "frontend/arrays/numpy/function_table.h"

namespace dynacc {
namespace {

constexpr absl::string_view kNames[] = {
#define DYNACC_NUMPY_INLINED(name) name,
#include "frontend/arrays/numpy/numpy_inlined.def"
#undef DYNACC_NUMPY_INLINED
};

// Modules whose functions are all traced, and helpers of functions of the table.
constexpr absl::string_view kModules[] = {"numpy.core._ufunc_config", "numpy._core._ufunc_config",
                                          "numpy.polynomial"};
struct Helper {
  absl::string_view module;
  absl::string_view name;
};
constexpr Helper kHelpers[] = {
    {"numpy.lib.shape_base", "_make_along_axis_idx"},
    {"numpy.lib.polynomial", "poly1d.__call__"},
    {"numpy.lib.polynomial", "poly1d.coeffs"},
};

// The functions of the table, as NumPy's module has them; never dropped.
absl::flat_hash_set<PyObject*>& Functions() {
  static auto& functions = *new absl::flat_hash_set<PyObject*>;
  return functions;
}

absl::string_view Text(BorrowedRef text) {
  const char* const chars =
      text != nullptr && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : nullptr;
  if (chars == nullptr) PyErr_Clear();
  return chars == nullptr ? absl::string_view() : absl::string_view(chars);
}

bool IsHelper(absl::string_view module, absl::string_view name) {
  for (const absl::string_view whole : kModules) {
    if (absl::StartsWith(module, whole)) return true;
  }
  for (const Helper& helper : kHelpers) {
    if (module == helper.module && name == helper.name) return true;
  }
  return false;
}

// What numpy.core.overrides has put the dispatching function around.
BorrowedRef Implementation(BorrowedRef function) {
  BorrowedRef attributes = reinterpret_cast<PyFunctionObject*>(function)->func_dict;
  BorrowedRef inner =
      attributes == nullptr ? nullptr : PyDict_GetItemString(attributes, "__wrapped__");
  return inner != nullptr && PyFunction_Check(inner) ? inner : function;
}

}  // namespace

void LoadInlined(BorrowedRef numpy_module) {
  for (const absl::string_view name : kNames) {
    BorrowedRef object = FindDotted(numpy_module, name);
    if (object == nullptr || !PyFunction_Check(object) || !IsNumpys(object)) continue;
    // Kept alive, so that no other object can ever be at its address.
    if (Functions().insert(object).second) Py_INCREF(object);
  }
}

Ref InlinedForm(BorrowedRef function) {
  if (Functions().contains(function)) return Ref::New(Implementation(function));
  const auto* const object = reinterpret_cast<PyFunctionObject*>(function);
  const bool traced = IsHelper(Text(object->func_module), Text(object->func_qualname));
  return traced ? Ref::New(function) : Ref();
}

}  // namespace dynacc
