// Function and Module of dynacc/function.h and dynacc/module.h.
#include <Python.h>

#include "absl/strings/str_cat.h"
#include "embed/host/call_watch.h"
#include "embed/host/errors.h"
#include "embed/host/fast_call.h"
#include "embed/host/object_handle.h"
#include "embed/host/python_scope.h"
#include "embed/host/python_values.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::StatusOr<Value> CallObject(BorrowedRef callable, const std::vector<Value>& arguments,
                                 const CallOptions& options) {
  DYNACC_ASSIGN_OR_RETURN(Ref positional, TupleFrom(arguments));
  Ref keywords;
  if (!options.keywords.empty()) {
    DYNACC_ASSIGN_OR_RETURN(keywords, DictFrom(options.keywords));
  }
  CallWatch watch(options);
  DYNACC_RETURN_IF_ERROR(CallWatch::MayRun(options));
  Ref result = Ref::Steal(PyObject_Call(callable, positional.get(), keywords.get()));
  if (result) return FromPython(result.get());
  if (std::optional<absl::Status> stop = watch.TakeStop()) return *stop;
  return TakeException();
}

// The attribute of a module; NOT_FOUND without one.
absl::StatusOr<Ref> AttributeOf(BorrowedRef module, const std::string& name) {
  if (module == nullptr) return absl::InvalidArgumentError("a Module that holds no module");
  Ref object = Ref::Steal(PyObject_GetAttrString(module, name.c_str()));
  if (object) return object;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return TakeException();
  PyErr_Clear();
  return absl::NotFoundError(absl::StrCat("the module has no name ", name));
}

}  // namespace

absl::StatusOr<Value> Function::Call(const std::vector<Value>& arguments,
                                     const CallOptions& options) const {
  if (handle_ == nullptr) return absl::InvalidArgumentError("a Function that holds no function");
  const GateScope gate;
  DYNACC_RETURN_IF_ERROR(gate.status());
  DYNACC_RETURN_IF_ERROR(CallWatch::MayRun(options));
  BorrowedRef callable = ObjectAccess::Get(*this);
  FastCall quick(arguments, options);
  {
    const GilScope gil;
    if (!quick.Match(callable)) return CallObject(callable, arguments, options);
  }
  if (std::optional<absl::StatusOr<Value>> result = quick.Run()) return *std::move(result);
  const GilScope gil;
  return CallObject(callable, arguments, options);
}

absl::StatusOr<Function> Module::Get(const std::string& name) const {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  DYNACC_ASSIGN_OR_RETURN(Ref object, AttributeOf(ObjectAccess::Get(*this), name));
  if (!PyCallable_Check(object.get())) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a ", Py_TYPE(object.get())->tp_name, ", which cannot be called"));
  }
  return ObjectAccess::Make<Function>(std::move(object));
}

absl::StatusOr<Value> Module::GetValue(const std::string& name) const {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  DYNACC_ASSIGN_OR_RETURN(Ref object, AttributeOf(ObjectAccess::Get(*this), name));
  return FromPython(object.get());
}

absl::Status Module::Set(const std::string& name, const Value& value) const {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  BorrowedRef module = ObjectAccess::Get(*this);
  if (module == nullptr) return absl::InvalidArgumentError("a Module that holds no module");
  DYNACC_ASSIGN_OR_RETURN(Ref object, ToPython(value));
  if (PyObject_SetAttrString(module, name.c_str(), object.get()) < 0) return TakeException();
  return absl::OkStatus();
}

}  // namespace dynacc
