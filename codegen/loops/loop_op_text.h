// The rows of loop_ops.def as printed programs have them: of which kinds an op's registers are, and
// the text of what it does.
#pragma once

#include <cstddef>
#include <iterator>

#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

enum class RegisterKind { kNone, kInt, kFloat };

struct OpText {
  RegisterKind result;
  RegisterKind left;
  RegisterKind right;
  const char* step;     // of arithmetic
  const char* element;  // of memory: the type; loads come before stores
  bool is_store;
};

inline constexpr RegisterKind kNoneKind = RegisterKind::kNone;
inline constexpr RegisterKind kIntKind = RegisterKind::kInt;
inline constexpr RegisterKind kFloatKind = RegisterKind::kFloat;

inline constexpr OpText kOpTexts[] = {
#define DYNACC_LOOP_OP(name, result, left, right, step) \
  {k##result##Kind, k##left##Kind, k##right##Kind, #step, nullptr, false},
#define DYNACC_LOOP_MEMORY(name, kind, type)                   \
  {k##kind##Kind, kIntKind, kNoneKind, nullptr, #type, false}, \
      {kNoneKind, kIntKind, k##kind##Kind, nullptr, #type, true},
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
};

// Null for the ops that are no rows: kIndex and those after it.
inline const OpText* TextOf(LoopOpCode code) {
  const auto index = static_cast<size_t>(code);
  return index < std::size(kOpTexts) ? &kOpTexts[index] : nullptr;
}

}  // namespace dynacc::loops
