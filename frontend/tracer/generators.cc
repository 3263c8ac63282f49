// Generators that a trace makes and consumes: their frames, set aside between two resumptions.

#include "absl/algorithm/container.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/tracer.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {

// RESUME's argument says after what it comes.
symbolic::Value* DelegateOf(const SymbolicFrame& frame) {
  constexpr int kAfterYieldFrom = 2;
  const bytecode::Instruction& next = frame.code->At(frame.pc);
  const bool delegates = next.opcode == RESUME && next.arg >= kAfterYieldFrom;
  return delegates ? frame.stack.back() : nullptr;
}

void Tracer::ReturnGenerator() {
  auto* generator = trace_.New<symbolic::GeneratorValue>();
  generators_.push_back(generator);
  frame().generator = generator;
  generator->frame = frames_.back();
  frames_.pop_back();
  Push(generator);
}

void Tracer::Yield(symbolic::Value* value) {
  symbolic::GeneratorValue* generator = frame().generator;
  generator->yielded = value;
  generator->frame = frames_.back();
  frames_.pop_back();
}

bool Tracer::IsRunning(const symbolic::GeneratorValue* generator) const {
  return absl::c_any_of(frames_, [&](const auto& frame) { return frame->generator == generator; });
}

// Whether another one waits for it, and closes it when it dies itself.
bool Tracer::IsDelegate(const symbolic::GeneratorValue* generator) const {
  return absl::c_any_of(generators_, [&](const symbolic::GeneratorValue* other) {
    return other->frame != nullptr && DelegateOf(*other->frame) == generator;
  });
}

absl::StatusOr<symbolic::Value*> Tracer::Resume(symbolic::GeneratorValue* generator,
                                                symbolic::Value* sent) {
  if (IsRunning(generator))
    return symbolic::RaisingBreak("a generator that asks for its own next item");
  if (IsDelegate(generator))
    return symbolic::GraphBreak("a generator that another one delegates to");
  if (generator->frame == nullptr) return nullptr;
  NoteAdvance(generator);
  const size_t depth = frames_.size();
  frames_.push_back(std::move(generator->frame));
  generator->frame = nullptr;
  Push(sent);
  return RunGenerator(generator, depth, absl::OkStatus());
}

absl::StatusOr<symbolic::Value*> Tracer::Throw(symbolic::GeneratorValue* generator,
                                               symbolic::InstanceValue* exception) {
  if (IsRunning(generator)) return symbolic::RaisingBreak("a generator that throws into itself");
  const absl::Status raised = Raise(exception, "an exception thrown into a generator");
  if (generator->frame == nullptr) return raised;
  NoteAdvance(generator);
  if (DelegateOf(*generator->frame) != nullptr || IsDelegate(generator)) {
    return symbolic::GraphBreak("a throw into a generator that delegates");
  }
  const size_t depth = frames_.size();
  frames_.push_back(std::move(generator->frame));
  generator->frame = nullptr;
  return RunGenerator(generator, depth, raised);
}

// Its frame is the innermost one, above `depth` others, and goes on after `status`. Which exception
// a generator handles is its own affair: who resumed it handles another, or none.
absl::StatusOr<symbolic::Value*> Tracer::RunGenerator(symbolic::GeneratorValue* generator,
                                                      size_t depth, const absl::Status& status) {
  symbolic::Value* const handled = handled_;
  if (!status.ok()) DYNACC_RETURN_IF_ERROR(Unwind(depth, status));
  DYNACC_RETURN_IF_ERROR(RunAbove(depth));
  if (generator->frame != nullptr && handled_ != handled) {
    return symbolic::GraphBreak("a generator that yields in an exception handler");
  }
  return generator->yielded;
}

// What a generator does when it dies unfinished, a trace cannot know the moment of; nor what an
// object does that it delegates to, which may have a method `close`.
bool Tracer::LeavesGeneratorsOpen() const {
  return absl::c_any_of(generators_, [](const symbolic::GeneratorValue* generator) {
    const auto& frame = generator->frame;
    if (frame == nullptr) return false;
    if (frame->code->InHandlerRange(frame->at)) return true;
    symbolic::Value* const delegate = DelegateOf(*frame);
    return delegate != nullptr && HasAttributes(delegate);
  });
}

}  // namespace dynacc::tracer
