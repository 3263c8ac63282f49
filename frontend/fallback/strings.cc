// Steps of f-strings.
#include "frontend/cpython/private_api.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

using Conversion = PyObject* (*)(PyObject*);

// By the low two bits of FORMAT_VALUE's argument: none, !s, !r, !a.
constexpr Conversion kConversions[] = {nullptr, PyObject_Str, PyObject_Repr, PyObject_ASCII};
constexpr int kConversionMask = 3;
constexpr int kHasSpec = 4;

StepOutcome FormatValue(Step& step) {
  Ref spec = step.arg() & kHasSpec ? step.frame.Pop() : Ref();
  Ref value = step.frame.Pop();
  if (const Conversion conversion = kConversions[step.arg() & kConversionMask]) {
    value = Ref::Steal(conversion(value.get()));
    if (!value) return StepOutcome::kRaised;
  }
  if (PyUnicode_CheckExact(value.get()) && !spec) return step.PushOrRaise(value.Release());
  return step.PushOrRaise(PyObject_Format(value.get(), spec.get()));
}

StepOutcome ConvertValue(Step& step) {
  Ref value = step.frame.Pop();
  return step.PushOrRaise(kConversions[step.arg()](value.get()));
}

StepOutcome BuildString(Step& step) {
  Ref separator = Ref::Steal(PyUnicode_New(0, 0));
  if (!separator) return StepOutcome::kRaised;
  const SlotObjects pieces(step.frame.Top(step.arg()), step.arg());
  Ref joined = Ref::Steal(_PyUnicode_JoinArray(separator.get(), pieces.data(), step.arg()));
  if (!joined) return StepOutcome::kRaised;
  step.frame.SetStackDepth(step.frame.stack_depth() - step.arg());
  step.frame.Push(std::move(joined));
  return StepOutcome::kNext;
}

constexpr StepRow kRows[] = {
    {FORMAT_VALUE, FormatValue}, {CONVERT_VALUE, ConvertValue}, {BUILD_STRING, BuildString}};

}  // namespace

absl::Span<const StepRow> StringSteps() { return kRows; }

}  // namespace dynacc::fallback
