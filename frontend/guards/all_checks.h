// Every GuardCheck, and the one place that goes from a GuardKind to its struct.
#pragma once

#include <utility>

#include "frontend/guards/array.h"
#include "frontend/guards/constant.h"
#include "frontend/guards/keys.h"
#include "frontend/guards/length.h"
#include "frontend/guards/presence.h"
#include "frontend/guards/type.h"

namespace dynacc {

// Calls visit.operator()<GuardCheck<kind>>() and returns its result.
template <typename Visit>
[[gnu::always_inline]] inline auto VisitCheck(GuardKind kind, Visit&& visit) {
  switch (kind) {
#define DYNACC_GUARD(kind, form, doc) \
  case GuardKind::k##kind:            \
    return visit.template operator()<GuardCheck<GuardKind::k##kind>>();
#include "frontend/guards/guards.def"
#undef DYNACC_GUARD
  }
  __builtin_unreachable();  // every kind has its case
}

}  // namespace dynacc
