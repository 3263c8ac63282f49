#define DYNACC_IMPORTS_NUMPY_API
#include "frontend/numpy/capi/numpy_api.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "frontend/numpy/capi/struct_check.h"

namespace dynacc::numpy {
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

struct Version {
  long major = 0;
  long minor = 0;
};

Version VersionOf(BorrowedRef module) {
  const char* text = VersionText(module);
  if (text == nullptr) return {};
  char* rest = nullptr;
  const long major = std::strtol(text, &rest, 10);
  return {major, *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0};
}

// The versions whose rules we know: from the first to the last.
constexpr int kFirstVersion = 123;
constexpr int kLastVersion = 205;

int Number(const Version& version) { return static_cast<int>(100 * version.major + version.minor); }

std::string Text(int version) { return absl::StrCat(version / 100, ".", version % 100); }

bool IsKnownVersion(BorrowedRef module) {
  const int version = Number(VersionOf(module));
  return version >= kFirstVersion && version <= kLastVersion;
}

// How this version promotes, unless a private setting (NPY_PROMOTION_STATE) says otherwise: NumPy
// 1.24 and later can be switched to NEP 50, 2.0 and 2.1 back to promotion by value.
const char* UsualPromotion(BorrowedRef module) {
  return VersionOf(module).major == 1 ? "legacy" : "weak";
}

bool PromotesAsUsual(BorrowedRef module) {
  PyObject* get = PyDict_GetItemString(PyModule_GetDict(module), "_get_promotion_state");
  if (get == nullptr) return true;
  Ref state = Ref::Steal(PyObject_CallNoArgs(get));
  PyErr_Clear();
  return state && PyUnicode_Check(state.get()) &&
         PyUnicode_CompareWithASCIIString(state.get(), UsualPromotion(module)) == 0;
}

int major_version = 1;
int minor_version = 0;
bool structs_differ = false;

void** ApiTable(const char* name) {
  Ref capsule = CoreObject(name);
  return capsule ? static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr)) : nullptr;
}

// The functions of the headers of 2.x import either major version.
constexpr bool kHeadersServeBoth = NPY_ABI_VERSION >= 0x02000000;

// What _import_array and _import_umath of the headers do. Those of 1.x look for numpy.core, whose
// remains in 2.x print a page about modules that have to be built anew. The functions that we call
// are in the same places of both tables (tests/numpy/numpy2_test.py), and the structs that we read
// are the same but for descr_layout.h.
bool ImportTables() {
  PyArray_API = ApiTable("_ARRAY_API");
  PyUFunc_API = PyArray_API == nullptr ? nullptr : ApiTable("_UFUNC_API");
  return PyUFunc_API != nullptr &&
         static_cast<long>(PyArray_GetNDArrayCVersion() >> 24) == major_version &&
         PyArray_GetNDArrayCFeatureVersion() >= NPY_FEATURE_VERSION;
}

}  // namespace

int NumpyMajor() { return major_version; }

int NumpyVersion() { return 100 * major_version + minor_version; }

BorrowedRef CoreModule() {
  const char* const name =
      major_version == 1 ? "numpy.core._multiarray_umath" : "numpy._core._multiarray_umath";
  PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), name);
  return module != nullptr && PyModule_Check(module) ? module : nullptr;
}

Ref CoreObject(const char* name) {
  BorrowedRef module = CoreModule();
  if (module != nullptr) return Ref::Steal(PyObject_GetAttrString(module, name));
  PyErr_SetString(PyExc_ImportError, "NumPy's compiled half is not there");
  return {};
}

BorrowedRef ImportNumpyApi() {
  BorrowedRef module = FinishedModule();
  if (module == nullptr || !IsKnownVersion(module) || !PromotesAsUsual(module)) return nullptr;
  major_version = static_cast<int>(VersionOf(module).major);
  minor_version = static_cast<int>(VersionOf(module).minor);
  const bool imported = kHeadersServeBoth || major_version == 1
                            ? _import_array() >= 0 && _import_umath() >= 0
                            : ImportTables();
  if (!imported) PyErr_Clear();
  structs_differ = imported && !StructsAreKnown();
  return imported && !structs_differ ? module : nullptr;
}

absl::Status CheckNumpy() {
  BorrowedRef module = FinishedModule();
  if (module == nullptr) return absl::OkStatus();
  if (!IsKnownVersion(module)) {
    const char* version = VersionText(module);
    return absl::FailedPreconditionError(absl::StrCat(
        "NumPy ", version == nullptr ? "without a version" : version, " is not supported (",
        Text(kFirstVersion), " to ", Text(kLastVersion), " are)"));
  }
  if (!PromotesAsUsual(module)) {
    return absl::FailedPreconditionError(
        absl::StrCat("NumPy's promotion state is not '", UsualPromotion(module), "'"));
  }
  if (ImportNumpyApi() == nullptr) {
    if (structs_differ) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the structs of NumPy ", VersionText(module), " lie elsewhere than DynaCC knows"));
    }
    return absl::FailedPreconditionError("this NumPy is older than the one DynaCC was built with");
  }
  return absl::OkStatus();
}

}  // namespace dynacc::numpy
