// Steps that define functions and classes.
#include "frontend/cpython/private_api.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

constexpr int kHasDefaults = 1;
constexpr int kHasKeywordDefaults = 2;
constexpr int kHasAnnotations = 4;
constexpr int kHasClosure = 8;
constexpr int kHasAnnotate = 16;

// The fields are new and empty, and annotations may still be a tuple, which the setters refuse:
// so they are filled directly, as CPython's loop does.
StepOutcome MakeFunction(Step& step) {
  Ref code = step.frame.Pop();
  Ref made = Ref::Steal(PyFunction_New(code.get(), step.frame.globals()));
  if (!made) return StepOutcome::kRaised;
  auto* function = reinterpret_cast<PyFunctionObject*>(made.get());
  if (step.arg() & kHasClosure) function->func_closure = step.frame.Pop().Release();
  if (step.arg() & kHasAnnotations) function->func_annotations = step.frame.Pop().Release();
  if (step.arg() & kHasKeywordDefaults) function->func_kwdefaults = step.frame.Pop().Release();
  if (step.arg() & kHasDefaults) function->func_defaults = step.frame.Pop().Release();
  step.frame.Push(std::move(made));
  return StepOutcome::kNext;
}

// One of the above of the function on top of the stack, which is below it.
StepOutcome SetFunctionAttribute(Step& step) {
  Ref made = step.frame.Pop();
  Ref value = step.frame.Pop();
  auto* function = reinterpret_cast<PyFunctionObject*>(made.get());
  if (step.arg() == kHasClosure) function->func_closure = value.Release();
  if (step.arg() == kHasAnnotations) function->func_annotations = value.Release();
  if (step.arg() == kHasKeywordDefaults) function->func_kwdefaults = value.Release();
  if (step.arg() == kHasDefaults) function->func_defaults = value.Release();
  if (step.arg() == kHasAnnotate) *PlaceOfAnnotate(made.get()) = value.Release();
  step.frame.Push(std::move(made));
  return StepOutcome::kNext;
}

StepOutcome LoadBuildClass(Step& step) {
  const BorrowedRef builtins = step.frame.builtins();
  Ref name = Ref::Steal(PyUnicode_InternFromString("__build_class__"));
  if (!name) return StepOutcome::kRaised;
  Ref found;
  if (PyDict_CheckExact(builtins)) {
    found = Ref::New(PyDict_GetItemWithError(builtins, name.get()));
    if (!found && !PyErr_Occurred()) PyErr_SetString(PyExc_NameError, "__build_class__ not found");
  } else {
    found = Ref::Steal(PyObject_GetItem(builtins, name.get()));
    if (!found && PyErr_ExceptionMatches(PyExc_KeyError))
      PyErr_SetString(PyExc_NameError, "__build_class__ not found");
  }
  return step.PushOrRaise(found.Release());
}

constexpr StepRow kRows[] = {{MAKE_FUNCTION, MakeFunction},
                             {SET_FUNCTION_ATTRIBUTE, SetFunctionAttribute},
                             {LOAD_BUILD_CLASS, LoadBuildClass}};

}  // namespace

absl::Span<const StepRow> DefinitionSteps() { return kRows; }

}  // namespace dynacc::fallback
