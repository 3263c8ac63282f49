#include "frontend/fallback/name_errors.h"

namespace dynacc::fallback {
namespace {

constexpr char kUndefined[] = "name '%.200s' is not defined";
constexpr char kUnboundLocal[] =
    "cannot access local variable '%s' where it is not associated with a value";
constexpr char kUnboundFree[] =
    "cannot access free variable '%s' where it is not associated with a value in enclosing scope";

// NameError carries the name, which tracebacks' "Did you mean" starts from. The attribute does not
// matter enough to replace the error if it cannot be set.
void AttachName(BorrowedRef name) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (PyErr_GivenExceptionMatches(value, PyExc_NameError) &&
      reinterpret_cast<PyNameErrorObject*>(value)->name == nullptr)
    (void)PyObject_SetAttrString(value, "name", name);
  PyErr_Restore(type, value, traceback);
}

StepOutcome RaiseFormatted(PyObject* type, const char* format, BorrowedRef name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return StepOutcome::kRaised;
  PyErr_Format(type, format, text);
  if (type == PyExc_NameError) AttachName(name);
  return StepOutcome::kRaised;
}

BorrowedRef LocalName(const Step& step, int index) {
  return PyTuple_GET_ITEM(step.code.code()->co_localsplusnames, index);
}

}  // namespace

StepOutcome RaiseUndefinedName(BorrowedRef name) {
  return RaiseFormatted(PyExc_NameError, kUndefined, name);
}

StepOutcome RaiseUnboundLocal(const Step& step, int index) {
  return RaiseFormatted(PyExc_UnboundLocalError, kUnboundLocal, LocalName(step, index));
}

StepOutcome RaiseUnboundCell(const Step& step, int index) {
  const PyCodeObject* code = step.code.code();
  const bool own = index < code->co_nlocalsplus - code->co_nfreevars;
  return RaiseFormatted(own ? PyExc_UnboundLocalError : PyExc_NameError,
                        own ? kUnboundLocal : kUnboundFree, LocalName(step, index));
}

}  // namespace dynacc::fallback
