// Generators that a trace makes and consumes: their frames, set aside between two resumptions.
#include "frontend/tracer/tracer.h"
#include "runtime/base/status_macros.h"

namespace dynacc {

void Tracer::ReturnGenerator() {
  auto* generator = trace_.New<GeneratorValue>();
  generators_.push_back(generator);
  frame().generator = generator;
  generator->frame = frames_.back();
  frames_.pop_back();
  Push(generator);
}

void Tracer::Yield(Value* value) {
  GeneratorValue* generator = frame().generator;
  generator->yielded = value;
  generator->frame = frames_.back();
  frames_.pop_back();
}

absl::StatusOr<Value*> Tracer::Resume(GeneratorValue* generator, Value* sent) {
  if (generator->frame == nullptr) return nullptr;
  const size_t depth = frames_.size();
  frames_.push_back(std::move(generator->frame));
  generator->frame = nullptr;
  Push(sent);
  Value* const handled = handled_;
  DYNACC_RETURN_IF_ERROR(RunAbove(depth));
  // Which exception it handles is its own affair: who resumed it handles another, or none.
  if (generator->frame != nullptr && handled_ != handled) {
    return GraphBreak("a generator that yields in an exception handler");
  }
  return generator->yielded;
}

// What a generator does when it dies unfinished, a trace cannot know the moment of.
bool Tracer::LeavesGeneratorsOpen() const {
  for (const GeneratorValue* generator : generators_) {
    if (generator->frame != nullptr &&
        generator->frame->code->InHandlerRange(generator->frame->at)) {
      return true;
    }
  }
  return false;
}

}  // namespace dynacc
