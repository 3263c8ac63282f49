// Handlers of generators: those that a trace makes, and that it consumes.
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/iteration.h"
#include "runtime/base/status_macros.h"

namespace dynacc::handlers {

absl::Status ReturnGenerator(Tracer& tracer, const Instruction&) {
  if (tracer.outermost()) return GraphBreak("a generator's own frame");
  tracer.ReturnGenerator();
  return absl::OkStatus();
}

absl::Status YieldValue(Tracer& tracer, const Instruction&) {
  if (tracer.frame().generator == nullptr) return GraphBreak("a generator's own frame");
  tracer.Yield(tracer.Pop());
  return absl::OkStatus();
}

absl::Status GetYieldFromIter(Tracer& tracer, const Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(Value * iterator, Iterate(tracer, tracer.Pop()));
  tracer.Push(iterator);
  return absl::OkStatus();
}

// The receiver is under the value that is sent to it. What it yields takes the value's place; at
// its end what it returns takes both places.
absl::Status Send(Tracer& tracer, const Instruction& instruction) {
  Value* sent = tracer.Pop();
  Value* receiver = tracer.Peek(0);
  auto* generator = As<GeneratorValue>(receiver);
  absl::StatusOr<Value*> item =
      generator != nullptr ? tracer.Resume(generator, sent) : NextItem(tracer, receiver);
  if (!item.ok()) return item.status();
  if (*item != nullptr) {
    tracer.Push(*item);
    return absl::OkStatus();
  }
  tracer.Pop();
  const bool has_value = generator != nullptr && generator->returned != nullptr;
  tracer.Push(has_value ? generator->returned : tracer.None());
  tracer.Jump(instruction.target);
  return absl::OkStatus();
}

}  // namespace dynacc::handlers
