// Handlers of raise, except and with.
#include "absl/strings/str_cat.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/objects.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

constexpr const char* kRaise = "a raise statement";
constexpr const char* kRealException = "the handling of an exception that CPython raised";

absl::Status RaiseBy(Tracer& tracer, symbolic::InstanceValue* exception) {
  const auto* const cls = reinterpret_cast<const PyTypeObject*>(exception->cls->object.get());
  return tracer.Raise(exception, absl::StrCat(kRaise, " of ", cls->tp_name));
}

absl::Status RaiseHandled(Tracer& tracer) {
  auto* exception = symbolic::As<symbolic::InstanceValue>(tracer.handled());
  if (exception == nullptr) return symbolic::RaisingBreak(kRaise);
  return RaiseBy(tracer, exception);
}

// All classes of a tuple have to be ones of exceptions, whichever the exception is of; a tuple in
// it is an error.
absl::StatusOr<bool> Matches(Tracer& tracer, symbolic::Value* exception, symbolic::Value* classes) {
  DYNACC_ASSIGN_OR_RETURN(classes, tracer.Materialize(classes));
  auto* raised = symbolic::As<symbolic::InstanceValue>(exception);
  if (raised == nullptr) return symbolic::GraphBreak(kRealException);
  auto* tuple = symbolic::As<symbolic::TupleValue>(classes);
  bool found = false;
  for (symbolic::Value* item : tuple != nullptr ? tuple->items : std::vector{classes}) {
    DYNACC_ASSIGN_OR_RETURN(item, tracer.Materialize(item));
    auto* cls = symbolic::As<symbolic::ConstantValue>(item);
    if (cls == nullptr || !IsExceptionClass(cls->object.get()))
      return symbolic::GraphBreak("an except clause with such a class");
    // Of exceptions, subclassing alone decides; __instancecheck__ is not asked.
    found |= PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(raised->cls->object.get()),
                              reinterpret_cast<PyTypeObject*>(cls->object.get())) != 0;
  }
  return found;
}

}  // namespace

namespace handlers {

absl::Status RaiseVarargs(Tracer& tracer, const bytecode::Instruction& instruction) {
  if (instruction.arg == 0) return RaiseHandled(tracer);
  symbolic::Value* cause = instruction.arg == 2 ? tracer.Pop() : nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::InstanceValue * exception, ExceptionOf(tracer, tracer.Pop()));
  if (cause != nullptr) {
    // Nobody sees the cause of an exception that is handled inside; it must be one, though.
    DYNACC_ASSIGN_OR_RETURN(cause, tracer.Materialize(cause));
    auto* none = symbolic::As<symbolic::ConstantValue>(cause);
    if (none == nullptr || none->object.get() != Py_None) {
      DYNACC_RETURN_IF_ERROR(ExceptionOf(tracer, cause).status());
    }
  }
  return RaiseBy(tracer, exception);
}

absl::Status Reraise(Tracer& tracer, const bytecode::Instruction&) {
  auto* exception = symbolic::As<symbolic::InstanceValue>(tracer.Pop());
  if (exception == nullptr) return symbolic::GraphBreak(kRealException);
  return RaiseBy(tracer, exception);
}

absl::Status PushExcInfo(Tracer& tracer, const bytecode::Instruction&) {
  if (!tracer.handles_here()) return symbolic::GraphBreak(kRealException);
  symbolic::Value* exception = tracer.Pop();
  tracer.Push(tracer.handled() != nullptr ? tracer.handled() : tracer.None());
  tracer.Push(exception);
  tracer.SetHandled(exception);
  return absl::OkStatus();
}

absl::Status PopExcept(Tracer& tracer, const bytecode::Instruction&) {
  if (tracer.handled() == nullptr) return symbolic::GraphBreak(kRealException);
  symbolic::Value* before = tracer.Pop();
  tracer.SetHandled(symbolic::As<symbolic::InstanceValue>(before));
  return absl::OkStatus();
}

absl::Status CheckExcMatch(Tracer& tracer, const bytecode::Instruction&) {
  symbolic::Value* classes = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(const bool matches, Matches(tracer, tracer.Peek(0), classes));
  tracer.Push(tracer.Constant(matches ? Py_True : Py_False));
  return absl::OkStatus();
}

// At the end of a generator that an exception leaves: a StopIteration becomes a RuntimeError.
absl::Status CallIntrinsic1(Tracer& tracer, const bytecode::Instruction& instruction) {
  constexpr int kStopIterationError = 3;
  auto* exception = symbolic::As<symbolic::InstanceValue>(tracer.Peek(0));
  if (instruction.arg != kStopIterationError || exception == nullptr) {
    return symbolic::GraphBreak("an intrinsic function of CPython's");
  }
  auto* cls = reinterpret_cast<PyTypeObject*>(exception->cls->object.get());
  for (PyObject* stop : {PyExc_StopIteration, PyExc_StopAsyncIteration}) {
    if (PyType_IsSubtype(cls, reinterpret_cast<PyTypeObject*>(stop)) != 0) {
      return symbolic::GraphBreak("a StopIteration that leaves a generator");
    }
  }
  return absl::OkStatus();
}

absl::Status BeforeWith(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * manager, tracer.Materialize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * enter, SpecialMethod(tracer, manager, "__enter__"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * exit, SpecialMethod(tracer, manager, "__exit__"));
  if (enter == nullptr || exit == nullptr)
    return symbolic::GraphBreak("a context manager that is not Python");
  tracer.Push(exit);
  if ((instruction.arg & kExitHasReceiver) != 0) tracer.Push(tracer.Null());
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * entered, tracer.CallNow(enter, {}));
  tracer.Push(entered);
  return absl::OkStatus();
}

// [exit][receiver, in some versions][lasti][previous][exception]: pushes exit(type, exception,
// traceback).
absl::Status WithExceptStart(Tracer& tracer, const bytecode::Instruction& instruction) {
  auto* exception = symbolic::As<symbolic::InstanceValue>(tracer.Peek(0));
  if (exception == nullptr) return symbolic::GraphBreak(kRealException);
  // The traceback is the one thing that does not exist here: any use of it is a break.
  std::vector<symbolic::Value*> arguments = {exception->cls, exception, tracer.Null()};
  symbolic::Value* exit = tracer.Peek(3);
  if ((instruction.arg & kExitHasReceiver) != 0) {
    exit = tracer.Peek(4);
    if (tracer.Peek(3)->kind() != symbolic::ValueKind::kNull)
      arguments.insert(arguments.begin(), tracer.Peek(3));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * answer, tracer.CallNow(exit, std::move(arguments)));
  tracer.Push(answer);
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc::tracer
