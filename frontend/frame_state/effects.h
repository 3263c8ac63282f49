// Effects: what a segment does to objects that existed before it, replayed at its end.
//
// By then everything has been computed and made, EffectsFit has been asked, and nothing can fail
// any more but an allocation of CPython's own. The effects are done in program order; those that a
// later one covers were dropped while tracing.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "frontend/cpython/ref.h"

namespace dynacc::frame_state {

enum class EffectOp : uint8_t {
#define DYNACC_EFFECT(op, doc) k##op,
#include "frontend/frame_state/effects.def"
#undef DYNACC_EFFECT
};

struct Effect {
  EffectOp op;
  std::vector<int> items;  // steps of the frame state
  int a = 0;
};

// Whether they can be done without an error and without code of the program's, as far as the guards
// cannot tell: asked before anything is written.
bool EffectsFit(absl::Span<const Effect> effects, absl::Span<const Ref> made);

// Does them all; `made` are the results of the frame state's steps. False with an exception set if
// one fails: those before it are done. May run destructors of what is replaced.
bool ReplayEffects(absl::Span<const Effect> effects, absl::Span<const Ref> made);

}  // namespace dynacc::frame_state
