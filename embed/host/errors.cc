#include "embed/host/errors.h"

#include <Python.h>

#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontend/cpython/ref.h"

namespace dynacc {
namespace {

// Where a Status keeps what its message does not say of the exception that it stands for.
// Status::ToString prints all of them, so that none repeats another.
constexpr absl::string_view kTypePayload = "dynacc.dev/python/type";
constexpr absl::string_view kTextPayload = "dynacc.dev/python/text";  // str() of it, if not implied
constexpr absl::string_view kStackPayload =
    "dynacc.dev/python/traceback";  // without its last lines

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
    {&PyExc_SyntaxError, absl::StatusCode::kInvalidArgument},
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

// What the traceback module's function of that name gives, as one text.
std::string FormatBy(const char* name, std::initializer_list<PyObject*> arguments) {
  Ref module = Ref::Steal(PyImport_ImportModule("traceback"));
  Ref function = module ? Ref::Steal(PyObject_GetAttrString(module.get(), name)) : Ref();
  Ref lines = function ? Ref::Steal(PyObject_Vectorcall(function.get(), arguments.begin(),
                                                        arguments.size(), nullptr))
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

// str() of an exception as the last lines of its traceback have it: "ValueError: text".
absl::string_view ImpliedText(absl::string_view lines, absl::string_view type) {
  if (!absl::ConsumePrefix(&lines, type)) return "";
  absl::ConsumePrefix(&lines, ": ");
  return lines;
}

}  // namespace

absl::Status TakeException() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (type == nullptr) return absl::InternalError("a Python call failed without an exception");
  PyErr_NormalizeException(&type, &value, &trace);
  Ref owned_type = Ref::Steal(type), owned_value = Ref::Steal(value),
      owned_trace = Ref::Steal(trace);
  PyObject* const error = value == nullptr ? Py_None : value;
  std::string text = FormatBy("format_exception_only", {type, error});
  std::string stack =
      FormatBy("format_exception", {type, error, trace == nullptr ? Py_None : trace});
  if (absl::EndsWith(stack, text)) stack.resize(stack.size() - text.size());
  absl::StripTrailingAsciiWhitespace(&text);
  const std::string name = TypeName(type);
  const std::string message = TextOf(Ref::Steal(PyObject_Str(error)), "");
  absl::Status status(CodeOf(type), text);
  status.SetPayload(kTypePayload, absl::Cord(name));
  if (ImpliedText(text, name) != message) status.SetPayload(kTextPayload, absl::Cord(message));
  status.SetPayload(kStackPayload, absl::Cord(stack));
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
  const std::string type = PayloadText(status, kTypePayload);
  const bool implied = !status.GetPayload(kTextPayload).has_value();
  return PythonError{type,
                     implied ? std::string(ImpliedText(status.message(), type))
                             : PayloadText(status, kTextPayload),
                     absl::StrCat(PayloadText(status, kStackPayload), status.message(), "\n")};
}

}  // namespace dynacc
