// Iteration of values, one item at a time.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

// Iterables that are drained at once are followed up to this many items.
inline constexpr size_t kMaxDrained = 256;

// iter(value): GraphBreak for what only Python can iterate.
absl::StatusOr<Value*> Iterate(Tracer& tracer, Value* value);
// The next item of an existing iterator over `sequence`, a list or tuple that the segment has not
// changed before; null at the end.
absl::StatusOr<Value*> NextOfExisting(Tracer& tracer, LazyIteratorValue* iterator, Value* sequence);
// The next item of what Iterate gave; null at the end.
absl::StatusOr<Value*> NextItem(Tracer& tracer, Value* iterator);
// The same of an object by its __next__, at the end of which StopIteration is raised in the trace.
absl::StatusOr<Value*> NextByMethod(Tracer& tracer, Value* iterator);
// Whether the status is that of a StopIteration raised in the trace.
bool IsStopIteration(const Tracer& tracer, const absl::Status& status);
// All items of an iterable, in a row.
absl::StatusOr<std::vector<Value*>> Drain(Tracer& tracer, Value* iterable);
// The same where CPython puts them into a list or tuple: it asks an object for its length first.
absl::StatusOr<std::vector<Value*>> DrainAsList(Tracer& tracer, Value* iterable);
// The same where it makes a list of the iterable's iterator (PySequence_Fast).
absl::StatusOr<std::vector<Value*>> DrainIterator(Tracer& tracer, Value* iterable);
// Does something with one item after the other, each before the next one is asked for.
absl::Status ForEachItem(Tracer& tracer, Value* iterable,
                         absl::FunctionRef<absl::Status(Value*)> what);
// The same where CPython appends to a list: it asks an object for its length first.
absl::Status ForEachListed(Tracer& tracer, Value* iterable,
                           absl::FunctionRef<absl::Status(Value*)> what);
// The number of items if it is known without taking any, else -1.
absl::StatusOr<int64_t> KnownLength(Tracer& tracer, Value* value);

// Items of an array along its first axis, up to kMaxDrained.
absl::StatusOr<std::vector<Value*>> TensorItems(Tracer& tracer, TensorValue* tensor);

}  // namespace dynacc
