// Whether the interpreter of this process keeps its structs as the one that DynaCC was compiled
// with: the minor version is the same, the patch release or what it was built with may not be.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynacc {

// A size or an offset in one of CPython's structs, as compiled and as the interpreter tells it.
struct LayoutFact {
  const char* name;
  uint64_t compiled;
  uint64_t running;
};

// What the interpreter tells of its own structs. Empty for a version that tells nothing;
// FailedPrecondition if what it tells cannot be read. Each version's folder has its own.
absl::StatusOr<std::vector<LayoutFact>> LayoutFacts();

// FailedPrecondition, with what does not fit, unless LayoutFacts agree and the places of the state
// that those do not name hold what CPython's functions say. Needs the GIL.
absl::Status CheckLayout();

}  // namespace dynacc
