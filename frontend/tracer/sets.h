// Sets: what is asked of them, and how they change.
//
// The order of a set depends on all that was ever done to it. The tracer has a set of its own for
// each (SetValue::now), with the same table, and lets CPython do to it what the program does to the
// real one. Of an existing set what is asked is guarded: whether one object is a member, or which
// members there are and in which order. Its table is, too, where it decides what comes of an
// operation.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// A new, empty set.
symbolic::SetValue* NewSet(Tracer& tracer);

absl::StatusOr<bool> SetHas(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* member);
absl::StatusOr<int64_t> SetLength(Tracer& tracer, symbolic::SetValue* set);
// set.__iter__: GraphBreak for an open set that changes meanwhile.
absl::StatusOr<symbolic::Value*> IterateSet(Tracer& tracer, symbolic::SetValue* set);

// set.add, set.discard: these two ask nothing of an existing set but its type.
absl::Status AddToSet(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* member);
absl::Status DiscardFromSet(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* member);

// The set of the tracer's own that has the table of `set`, which is not open any more. Who changes
// it calls Tracer::NoteChange.
absl::StatusOr<BorrowedRef> TableOf(Tracer& tracer, symbolic::SetValue* set);

// Whether `value` is a set or a frozenset that is known.
bool IsAnySet(symbolic::Value* value);
// What a set takes from `value`, an iterable of any kind, as a real object which CPython treats in
// the same way: sets and dicts go over as they lie, other iterables item by item.
absl::StatusOr<Ref> RealIterable(Tracer& tracer, symbolic::Value* value);
// What a function of sets gives as a value: a set, frozenset, bool, None or member. An exception
// that is set is raised in the trace.
absl::StatusOr<symbolic::Value*> SetResult(Tracer& tracer, Ref result);

// a | b, a & b, a - b, a ^ b and their in-place forms (NB_OR ...), and comparisons, of sets.
absl::StatusOr<symbolic::Value*> SetBinary(Tracer& tracer, int nb_op, symbolic::Value* a,
                                           symbolic::Value* b);
absl::StatusOr<symbolic::Value*> SetCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                            symbolic::Value* b);

}  // namespace dynacc::tracer
