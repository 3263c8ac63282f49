// IMPORT_NAME and IMPORT_FROM.
#include "frontend/cpython/private_api.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

StepOutcome ImportName(Step& step) {
  Ref from_list = step.frame.Pop();
  Ref level = step.frame.Pop();
  const BorrowedRef import = PyDict_GetItemWithError(
      step.frame.builtins(), Ref::Steal(PyUnicode_InternFromString("__import__")).get());
  if (import == nullptr) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "__import__ not found");
    return StepOutcome::kRaised;
  }
  const BorrowedRef locals = step.frame.frame_locals();
  PyObject* arguments[] = {step.Name(step.arg()), step.frame.globals(),
                           locals == nullptr ? Py_None : locals, from_list.get(), level.get()};
  Ref held = Ref::New(import);
  return step.PushOrRaise(
      PyObject_Vectorcall(held.get(), arguments, std::size(arguments), nullptr));
}

bool IsInitializing(BorrowedRef module) {
  Ref spec = Ref::Steal(PyObject_GetAttrString(module, "__spec__"));
  Ref flag;
  if (spec) flag = Ref::Steal(PyObject_GetAttrString(spec.get(), "_initializing"));
  const bool initializing = flag && PyObject_IsTrue(flag.get()) > 0;
  PyErr_Clear();
  return initializing;
}

// `package` is the module's __name__, empty if it has none.
StepOutcome RaiseCannotImport(BorrowedRef module, BorrowedRef name, const Ref& package) {
  if (!KnowsImportErrors()) return PyErr_Clear(), StepOutcome::kUnhandled;
  Ref shown = package ? package : Ref::Steal(PyUnicode_FromString("<unknown module name>"));
  if (!shown) return StepOutcome::kRaised;
  Ref path = Ref::Steal(PyModule_GetFilenameObject(module));
  if (!path || !PyUnicode_Check(path.get())) {
    PyErr_Clear();
    Ref message = Ref::Steal(PyUnicode_FromFormat(
        "cannot import name %R from %R (unknown location)", name, shown.get()));
    PyErr_SetImportError(message.get(), package.get(), nullptr);
    return StepOutcome::kRaised;
  }
  const char* format = IsInitializing(module)
                           ? "cannot import name %R from partially initialized module %R (most "
                             "likely due to a circular import) (%S)"
                           : "cannot import name %R from %R (%S)";
  Ref message = Ref::Steal(PyUnicode_FromFormat(format, name, shown.get(), path.get()));
  PyErr_SetImportError(message.get(), package.get(), path.get());
  return StepOutcome::kRaised;
}

// The attribute, or, in a circular relative import, the submodule of that name.
StepOutcome ImportFrom(Step& step) {
  const BorrowedRef module = step.frame.Peek(0);
  const BorrowedRef name = step.Name(step.arg());
  Ref attribute = FindAttribute(module, name);
  if (attribute || PyErr_Occurred()) return step.PushOrRaise(attribute.Release());
  Ref package = Ref::Steal(PyObject_GetAttrString(module, "__name__"));
  if (package && !PyUnicode_Check(package.get())) package = Ref();
  if (!package) return RaiseCannotImport(module, name, package);
  Ref full_name = Ref::Steal(PyUnicode_FromFormat("%U.%U", package.get(), name));
  if (!full_name) return StepOutcome::kRaised;
  PyObject* found = PyImport_GetModule(full_name.get());
  if (found != nullptr || PyErr_Occurred()) return step.PushOrRaise(found);
  return RaiseCannotImport(module, name, package);
}

constexpr StepRow kRows[] = {{IMPORT_NAME, ImportName}, {IMPORT_FROM, ImportFrom}};

}  // namespace

absl::Span<const StepRow> ImportSteps() { return kRows; }

}  // namespace dynacc::fallback
