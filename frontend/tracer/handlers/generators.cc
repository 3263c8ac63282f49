// Handlers of generators: those that a trace makes, and that it consumes.
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/objects.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer::handlers {

absl::Status ReturnGenerator(Tracer& tracer, const bytecode::Instruction&) {
  if (tracer.outermost()) return symbolic::GraphBreak("a generator's own frame");
  tracer.ReturnGenerator();
  return absl::OkStatus();
}

absl::Status YieldValue(Tracer& tracer, const bytecode::Instruction&) {
  if (tracer.frame().generator == nullptr) return symbolic::GraphBreak("a generator's own frame");
  tracer.Yield(tracer.Pop());
  return absl::OkStatus();
}

absl::Status GetYieldFromIter(Tracer& tracer, const bytecode::Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, tracer.Pop()));
  tracer.Push(iterator);
  return absl::OkStatus();
}

namespace {

// What a `yield from` an object gives at the end: the value of the StopIteration.
absl::StatusOr<symbolic::Value*> ValueOfStop(Tracer& tracer) {
  const symbolic::InstanceValue* const stop = tracer.raised();
  const auto* const args = symbolic::As<symbolic::TupleValue>(stop->args);
  if (stop->cls->object.get() != PyExc_StopIteration || args == nullptr) {
    return symbolic::GraphBreak("a StopIteration of another class");
  }
  return args->items.empty() ? tracer.None() : args->items[0];
}

// A step of an object that is delegated to; at its end null, and its value in `returned`.
absl::StatusOr<symbolic::Value*> StepOfObject(Tracer& tracer, symbolic::Value* object,
                                              symbolic::Value*& returned) {
  absl::StatusOr<symbolic::Value*> item = NextByMethod(tracer, object);
  if (!IsStopIteration(tracer, item.status())) return item;
  DYNACC_ASSIGN_OR_RETURN(returned, ValueOfStop(tracer));
  return nullptr;
}

absl::StatusOr<symbolic::Value*> StepOfDelegate(Tracer& tracer, symbolic::Value* receiver,
                                                symbolic::Value* sent, symbolic::Value*& returned) {
  if (auto* generator = symbolic::As<symbolic::GeneratorValue>(receiver)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, tracer.Resume(generator, sent));
    if (item == nullptr && generator->returned != nullptr) returned = generator->returned;
    return item;
  }
  if (!IsNone(sent)) return symbolic::GraphBreak("a value sent to what is no generator");
  if (HasAttributes(receiver)) return StepOfObject(tracer, receiver, returned);
  return NextItem(tracer, receiver);
}

}  // namespace

// The receiver is under the value that is sent to it. What it yields takes the value's place; at
// its end what it returns takes both places.
absl::Status Send(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* sent = tracer.Pop();
  symbolic::Value* returned = tracer.None();
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item,
                          StepOfDelegate(tracer, tracer.Peek(0), sent, returned));
  if (item != nullptr) {
    tracer.Push(item);
    return absl::OkStatus();
  }
  tracer.Pop();
  tracer.Push(returned);
  tracer.Jump(instruction.target);
  return absl::OkStatus();
}

}  // namespace dynacc::tracer::handlers
