#include "frontend/numpy/trace/inlined.h"

#include "absl/strings/match.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/error_scope.h"

namespace dynacc::numpy {
namespace {

constexpr absl::string_view kNames[] = {
#define DYNACC_NUMPY_INLINED(name) name,
#include "frontend/numpy/trace/numpy_inlined.def"
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
    {"numpy.lib._shape_base_impl", "_make_along_axis_idx"},
    {"numpy.lib._polynomial_impl", "poly1d.__call__"},
    {"numpy.lib._polynomial_impl", "poly1d.coeffs"},
    {"numpy._core.fromnumeric", "_cumulative_func"},
};

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

// What numpy.core.overrides has put the dispatching function around, or (NumPy 1.25 and later) what
// its object of a class of its own calls. Null if that is no Python function.
Ref Implementation(BorrowedRef function) {
  Ref inner = Ref::Steal(PyObject_GetAttrString(function, "__wrapped__"));
  PyErr_Clear();
  if (inner && PyFunction_Check(inner.get())) return inner;
  return PyFunction_Check(function) ? Ref::New(function) : Ref();
}

}  // namespace

void LearnInlined(BorrowedRef numpy_module) {
  for (const absl::string_view name : kNames) {
    BorrowedRef object = FindDotted(numpy_module, name);
    if (object == nullptr || PyType_Check(object) || !IsNumpys(object)) continue;
    Ref form = Implementation(object);
    if (form) LearnCallable(object).inlined = std::move(form);
  }
}

Ref InlinedForm(BorrowedRef function) {
  const NumpyCallable* const known = FindCallable(function);
  if (known != nullptr && known->inlined) return known->inlined;
  if (!PyFunction_Check(function)) return {};
  if (Ref form = ErrorScopeForm(function)) return form;
  const auto* const object = reinterpret_cast<PyFunctionObject*>(function);
  const bool traced = IsHelper(Text(object->func_module), Text(object->func_qualname));
  return traced ? Ref::New(function) : Ref();
}

}  // namespace dynacc::numpy
