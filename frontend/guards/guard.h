// Guard: one condition under which a compiled entry is valid. Guards are data: rows of a kind
// from guards.def applied to a Source.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/cpython/loose_ref.h"
#include "frontend/sources/source.h"

namespace dynacc::guards {

enum class GuardKind : uint8_t {
#define DYNACC_GUARD(kind, form, doc) k##kind,
#include "frontend/guards/guards.def"
#undef DYNACC_GUARD
};

struct Guard {
  GuardKind kind;
  const sources::Source* source;
  LooseRef object;  // what guards.def calls $o, or empty
  int64_t a = 0;
  int64_t b = 0;

  bool operator==(const Guard& other) const {
    return kind == other.kind && source == other.source && object.get() == other.object.get() &&
           a == other.a && b == other.b;
  }
  std::string ToString() const;
  std::string ObjectText() const;  // of `object`
};

// Whether `guard` holds for `value` (null: absent). Runs no Python code, sets no exception.
bool CheckGuard(const Guard& guard, BorrowedRef value);

// Why it does not hold: "expected f64 array of rank 2, found rank 3". Only after a failure.
std::string ExplainGuard(const Guard& guard, BorrowedRef value);

}  // namespace dynacc::guards
