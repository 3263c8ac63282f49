// collections.deque as a value: reading it, and changing it without touching the real one. What
// needs its items guards length and bound of an existing deque; appending asks only its type.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Makes all items of an existing deque known.
absl::Status KnowItems(Tracer& tracer, symbolic::DequeValue* deque);

// deque.append and appendleft; a bounded deque loses an item at its other end.
absl::Status AppendToDeque(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* item);
absl::Status PrependToDeque(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* item);
// Removes the item at a place that there is.
absl::Status RemoveFromDeque(Tracer& tracer, symbolic::DequeValue* deque, size_t place);

// deque[key], deque[key] = item (null: del deque[key]).
absl::StatusOr<symbolic::Value*> SubscriptDeque(Tracer& tracer, symbolic::DequeValue* deque,
                                                symbolic::Value* key);
absl::Status StoreDequeItem(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* key,
                            symbolic::Value* item);

// iter(deque), which notices, as Python's does, that the deque has changed.
absl::StatusOr<symbolic::Value*> IterateDeque(Tracer& tracer, symbolic::DequeValue* deque);

}  // namespace dynacc::tracer
