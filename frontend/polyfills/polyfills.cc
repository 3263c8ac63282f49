#include "frontend/polyfills/polyfills.h"

#include <marshal.h>

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/genuine_builtins.h"
#include "frontend/polyfills/frozen_functions.h"
#include "runtime/base/check.h"

namespace dynacc::polyfills {
namespace {

PyObject* Leave(PyObject*, PyObject*) { return Py_NewRef(Py_None); }

// The namespace of functions.py: its functions and the builtins, genuine ones.
class Namespace {
 public:
  // Making it runs Python code, in which another thread may get the GIL: one that makes it, too,
  // must not wait for the first.
  static const Namespace* Get() {
    if (made_ == nullptr) {
      const auto* space = new Namespace;
      if (made_ == nullptr) made_ = space;
    }
    return made_;
  }
  static bool IsMade() { return made_ != nullptr; }

  BorrowedRef dict() const { return dict_.get(); }
  BorrowedRef Find(BorrowedRef name) const {
    BorrowedRef found = PyDict_GetItemWithError(dict_.get(), name);
    return found != nullptr ? found : PyDict_GetItemWithError(builtins_.get(), name);
  }

 private:
  Namespace() : dict_(Ref::Steal(PyDict_New())) {
    static PyMethodDef leave = {kLeave, Leave, METH_NOARGS, nullptr};
    builtins_ = Ref::Steal(PyDict_Copy(GenuineBuiltins()));
    const Ref function = Ref::Steal(PyCFunction_New(&leave, nullptr));
    const Ref code = Ref::Steal(PyMarshal_ReadObjectFromString(
        reinterpret_cast<const char*>(kFrozenFunctions), kFrozenFunctionsSize));
    DYNACC_CHECK(dict_ && builtins_ && function && code);
    PyDict_SetItemString(dict_.get(), "__builtins__", builtins_.get());
    PyDict_SetItemString(dict_.get(), kLeave, function.get());
    const Ref done = Ref::Steal(PyEval_EvalCode(code.get(), dict_.get(), dict_.get()));
    DYNACC_CHECK(done);
  }

  static inline const Namespace* made_ = nullptr;
  Ref dict_;
  Ref builtins_;
};

const absl::flat_hash_map<std::string, const char*>& Table() {
  static const auto& table = *new absl::flat_hash_map<std::string, const char*>{
#define DYNACC_POLYFILL(name, function) {name, #function},
#include "frontend/polyfills/polyfills.def"
#undef DYNACC_POLYFILL
  };
  return table;
}

// Types that no Python code can make or change.
bool IsGenuine(PyTypeObject* type) { return PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE); }

std::string NameOfFunction(PyCFunctionObject* function) {
  BorrowedRef self = function->m_self;
  if (self != nullptr && PyType_Check(self)) {
    auto* type = reinterpret_cast<PyTypeObject*>(self);
    return IsGenuine(type) ? absl::StrCat(type->tp_name, ".", function->m_ml->ml_name) : "";
  }
  BorrowedRef module = function->m_module;
  if (module == nullptr || !PyUnicode_Check(module)) return "";
  return absl::StrCat(StrView(module), ".", function->m_ml->ml_name);
}

// The name in polyfills.def that `callable` would have; empty if it can have none.
std::string NameOf(BorrowedRef callable) {
  if (PyCFunction_CheckExact(callable)) {
    return NameOfFunction(reinterpret_cast<PyCFunctionObject*>(callable));
  }
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) {
    auto* method = reinterpret_cast<PyMethodDescrObject*>(callable);
    PyTypeObject* const type = method->d_common.d_type;
    return IsGenuine(type) ? absl::StrCat(type->tp_name, ".", method->d_method->ml_name) : "";
  }
  if (!PyType_Check(callable)) return "";
  auto* type = reinterpret_cast<PyTypeObject*>(callable);
  return IsGenuine(type) ? type->tp_name : "";
}

}  // namespace

BorrowedRef PolyfillFor(BorrowedRef callable) {
  const auto row = Table().find(NameOf(callable));
  return row == Table().end() ? nullptr : Polyfill(row->second);
}

BorrowedRef Polyfill(const char* name) {
  BorrowedRef function = PyDict_GetItemString(Namespace::Get()->dict(), name);
  DYNACC_CHECK(function != nullptr);
  return function;
}

BorrowedRef NameInPolyfills(BorrowedRef globals, BorrowedRef name) {
  return IsPolyfillNamespace(globals) ? Namespace::Get()->Find(name) : nullptr;
}

bool IsPolyfillNamespace(BorrowedRef globals) {
  return Namespace::IsMade() && globals == Namespace::Get()->dict();
}

}  // namespace dynacc::polyfills
