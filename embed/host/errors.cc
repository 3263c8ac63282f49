#include "embed/host/errors.h"

#include <Python.h>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "frontend/cpython/ref.h"

namespace dynacc {
namespace {

// Where a Status keeps the parts of the exception that it stands for.
constexpr absl::string_view kTypePayload = "dynacc.dev/python/type";
constexpr absl::string_view kMessagePayload = "dynacc.dev/python/message";
constexpr absl::string_view kTracebackPayload = "dynacc.dev/python/traceback";

struct CodeRow {
  PyObject** exception;
  absl::StatusCode code;
};
// First match wins: a class stands before those that it derives from.
const CodeRow kCodes[] = {
    {&PyExc_NotImplementedError, absl::StatusCode::kUnimplemented},
    {&PyExc_MemoryError, absl::StatusCode::kResourceExhausted},
    {&PyExc_ImportError, absl::StatusCode::kNotFound},
    {&PyExc_FileNotFoundError, absl::StatusCode::kNotFound},
    {&PyExc_PermissionError, absl::StatusCode::kPermissionDenied},
    {&PyExc_TimeoutError, absl::StatusCode::kDeadlineExceeded},
    {&PyExc_KeyboardInterrupt, absl::StatusCode::kCancelled},
    {&PyExc_LookupError, absl::StatusCode::kOutOfRange},
    {&PyExc_TypeError, absl::StatusCode::kInvalidArgument},
    {&PyExc_ValueError, absl::StatusCode::kInvalidArgument},
    {&PyExc_ArithmeticError, absl::StatusCode::kInvalidArgument},
};

const CodeRow kExceptions[] = {
    {&PyExc_ValueError, absl::StatusCode::kInvalidArgument},
    {&PyExc_IndexError, absl::StatusCode::kOutOfRange},
    {&PyExc_LookupError, absl::StatusCode::kNotFound},
    {&PyExc_NotImplementedError, absl::StatusCode::kUnimplemented},
    {&PyExc_MemoryError, absl::StatusCode::kResourceExhausted},
    {&PyExc_TimeoutError, absl::StatusCode::kDeadlineExceeded},
    {&PyExc_PermissionError, absl::StatusCode::kPermissionDenied},
};

absl::StatusCode CodeOf(BorrowedRef type) {
  for (const CodeRow& row : kCodes) {
    if (PyErr_GivenExceptionMatches(type, *row.exception)) return row.code;
  }
  return absl::StatusCode::kUnknown;
}

// The text of a str, or `otherwise` if `text` is null or cannot be shown; clears the exception.
std::string TextOf(const Ref& text, absl::string_view otherwise) {
  const char* chars = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (chars == nullptr) PyErr_Clear();
  return std::string(chars == nullptr ? otherwise : chars);
}

std::string TracebackText(BorrowedRef type, BorrowedRef value, BorrowedRef trace) {
  Ref module = Ref::Steal(PyImport_ImportModule("traceback"));
  Ref lines =
      module ? Ref::Steal(PyObject_CallMethod(module.get(), "format_exception", "OOO", type,
                                              value ? value : Py_None, trace ? trace : Py_None))
             : Ref();
  Ref empty = Ref::Steal(PyUnicode_FromString(""));
  return TextOf(lines && empty ? Ref::Steal(PyUnicode_Join(empty.get(), lines.get())) : Ref(),
                "an exception that cannot be printed\n");
}

std::string TypeName(BorrowedRef type) {
  Ref name = Ref::Steal(PyType_GetQualName(reinterpret_cast<PyTypeObject*>(type)));
  Ref module = Ref::Steal(PyObject_GetAttrString(type, "__module__"));
  const std::string prefix = TextOf(module, "builtins");
  const std::string text = TextOf(name, "an exception");
  return prefix == "builtins" ? text : absl::StrCat(prefix, ".", text);
}

std::string PayloadText(const absl::Status& status, absl::string_view name) {
  return std::string(status.GetPayload(name).value_or(absl::Cord()));
}

}  // namespace

absl::Status TakeException() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (type == nullptr) return absl::InternalError("a Python call failed without an exception");
  PyErr_NormalizeException(&type, &value, &trace);
  Ref owned_type = Ref::Steal(type), owned_value = Ref::Steal(value),
      owned_trace = Ref::Steal(trace);
  const std::string traceback = TracebackText(type, value, trace);
  absl::Status status(CodeOf(type), traceback);
  status.SetPayload(kTypePayload, absl::Cord(TypeName(type)));
  status.SetPayload(kMessagePayload,
                    absl::Cord(TextOf(Ref::Steal(PyObject_Str(value ? value : Py_None)), "")));
  status.SetPayload(kTracebackPayload, absl::Cord(traceback));
  return status;
}

void RaiseStatus(const absl::Status& status) {
  PyObject* type = PyExc_RuntimeError;
  for (const CodeRow& row : kExceptions) {
    if (row.code == status.code()) type = *row.exception;
  }
  const std::string message(status.message());
  PyErr_SetString(type, message.c_str());
}

std::optional<PythonError> v0::PythonErrorOf(const absl::Status& status) {
  if (!status.GetPayload(kTypePayload).has_value()) return std::nullopt;
  return PythonError{PayloadText(status, kTypePayload), PayloadText(status, kMessagePayload),
                     PayloadText(status, kTracebackPayload)};
}

}  // namespace dynacc
