// collections.deque as a value: reading it, and changing it without touching the real one. What
// needs its items guards length and bound of an existing deque; appending asks only its type.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

// Makes all items of an existing deque known.
absl::Status KnowItems(Tracer& tracer, DequeValue* deque);

// deque.append and appendleft; a bounded deque loses an item at its other end.
absl::Status AppendToDeque(Tracer& tracer, DequeValue* deque, Value* item);
absl::Status PrependToDeque(Tracer& tracer, DequeValue* deque, Value* item);
// Removes the item at a place that there is.
absl::Status RemoveFromDeque(Tracer& tracer, DequeValue* deque, size_t place);

// deque[key], deque[key] = item (null: del deque[key]).
absl::StatusOr<Value*> SubscriptDeque(Tracer& tracer, DequeValue* deque, Value* key);
absl::Status StoreDequeItem(Tracer& tracer, DequeValue* deque, Value* key, Value* item);

// iter(deque), which notices, as Python's does, that the deque has changed.
absl::StatusOr<Value*> IterateDeque(Tracer& tracer, DequeValue* deque);

}  // namespace dynacc
