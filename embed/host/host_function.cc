#include "embed/host/host_function.h"

#include <Python.h>

#include <exception>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "embed/host/errors.h"
#include "embed/host/python_values.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// The `self` of the builtin, inside a capsule. CPython reads the definition until the builtin is
// gone, and holds `self` for as long.
struct HostCallable {
  std::string name;
  HostFunction function;
  PyMethodDef definition;
};

HostCallable& CallableOf(PyObject* capsule) {
  return *static_cast<HostCallable*>(PyCapsule_GetPointer(capsule, nullptr));
}

void DropCallable(PyObject* capsule) { delete &CallableOf(capsule); }

// Runs the host's function without the GIL.
absl::StatusOr<Value> Run(const HostCallable& callable, const List& arguments,
                          const Dict& keywords) {
  struct WithoutGil {
    PyThreadState* state = PyEval_SaveThread();
    ~WithoutGil() { PyEval_RestoreThread(state); }
  } const without_gil;
  try {
    return callable.function(arguments, keywords);
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat(callable.name, " threw: ", error.what()));
  } catch (...) {
    return absl::InternalError(absl::StrCat(callable.name, " threw what is no std::exception"));
  }
}

absl::StatusOr<Ref> CallHost(const HostCallable& callable, PyObject* args, PyObject* keywords) {
  DYNACC_ASSIGN_OR_RETURN(const Value positional, FromPython(args));
  Dict named;
  if (keywords != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const Value dict, FromPython(keywords));
    named = dict.As<Dict>();
  }
  DYNACC_ASSIGN_OR_RETURN(const Value result, Run(callable, positional.As<List>(), named));
  return ToPython(result);
}

PyObject* Call(PyObject* capsule, PyObject* args, PyObject* keywords) {
  absl::StatusOr<Ref> result = CallHost(CallableOf(capsule), args, keywords);
  if (result.ok()) return result->Release();
  RaiseStatus(result.status());
  return nullptr;
}

}  // namespace

absl::StatusOr<Ref> MakeHostFunction(std::string name, HostFunction function) {
  if (!function) return absl::InvalidArgumentError(absl::StrCat(name, ": an empty function"));
  auto* callable = new HostCallable{std::move(name), std::move(function), {}};
  callable->definition = {callable->name.c_str(),
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Call)),
                          METH_VARARGS | METH_KEYWORDS, "A function of the C++ program."};
  Ref capsule = Ref::Steal(PyCapsule_New(callable, nullptr, DropCallable));
  if (!capsule) {
    delete callable;
    return TakeException();
  }
  Ref builtin = Ref::Steal(PyCFunction_New(&callable->definition, capsule.get()));
  if (!builtin) return TakeException();
  return builtin;
}

}  // namespace dynacc
