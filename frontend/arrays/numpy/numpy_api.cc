#define DYNACC_IMPORTS_NUMPY_API
#include "frontend/arrays/numpy/numpy_api.h"

#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

// numpy from sys.modules, if its import is finished.
BorrowedRef FinishedModule() {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* module = modules == nullptr ? nullptr : PyDict_GetItemString(modules, "numpy");
  if (module == nullptr || !PyModule_CheckExact(module)) return nullptr;
  PyObject* spec = PyDict_GetItemString(PyModule_GetDict(module), "__spec__");
  if (spec == nullptr) return nullptr;
  Ref initializing = Ref::Steal(PyObject_GetAttrString(spec, "_initializing"));
  PyErr_Clear();
  return initializing.get() == Py_True ? nullptr : module;
}

// numpy.__version__; null if it has none.
const char* VersionText(BorrowedRef module) {
  PyObject* version = PyDict_GetItemString(PyModule_GetDict(module), "__version__");
  const char* text = version == nullptr ? nullptr : PyUnicode_AsUTF8(version);
  PyErr_Clear();
  return text;
}

bool IsKnownVersion(BorrowedRef module) {
  const char* text = VersionText(module);
  if (text == nullptr) return false;
  char* rest = nullptr;
  const long major = std::strtol(text, &rest, 10);
  const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
  return major == 1 && minor >= 23;
}

// NumPy 1.24 can be switched to the promotion of 2.0 (NEP 50) by a private setting.
bool PromotesByValue(BorrowedRef module) {
  PyObject* get = PyDict_GetItemString(PyModule_GetDict(module), "_get_promotion_state");
  if (get == nullptr) return true;
  Ref state = Ref::Steal(PyObject_CallNoArgs(get));
  PyErr_Clear();
  return state && PyUnicode_Check(state.get()) &&
         PyUnicode_CompareWithASCIIString(state.get(), "legacy") == 0;
}

}  // namespace

BorrowedRef ImportNumpyApi() {
  BorrowedRef module = FinishedModule();
  if (module == nullptr || !IsKnownVersion(module) || !PromotesByValue(module)) return nullptr;
  if (_import_array() < 0 || _import_umath() < 0) {
    PyErr_Clear();
    return nullptr;
  }
  return module;
}

absl::Status CheckNumpy() {
  BorrowedRef module = FinishedModule();
  if (module == nullptr) return absl::OkStatus();
  if (!IsKnownVersion(module)) {
    const char* version = VersionText(module);
    return absl::FailedPreconditionError(
        absl::StrCat("NumPy ", version == nullptr ? "without a version" : version,
                     " is not supported (1.23 and later 1.x are)"));
  }
  if (!PromotesByValue(module)) {
    return absl::FailedPreconditionError("NumPy's promotion state is not 'legacy'");
  }
  if (ImportNumpyApi() == nullptr) {
    return absl::FailedPreconditionError("this NumPy is older than the one DynaCC was built with");
  }
  return absl::OkStatus();
}

}  // namespace dynacc
