// What is asked of a set: its members and their order.
//
// Of an existing set all members are guarded together, in the order in which it gives them, which
// depends on all that was ever done to it. A set that is made inside has the order that a real one
// has after the same additions.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

absl::StatusOr<bool> SetHas(Tracer& tracer, const SetValue& set, Value* member);
absl::StatusOr<int64_t> SetLength(Tracer& tracer, const SetValue& set);
// As iteration gives them. GraphBreak for an existing set that the segment has added to.
absl::StatusOr<std::vector<Value*>> SetMembers(Tracer& tracer, const SetValue& set);

// Whether set() and the like take over what `value` holds in a way of their own, not item by item:
// the result has another order then.
bool IsCopiedAsItLies(const Value* value);

}  // namespace dynacc
