// Iteration of values, one item at a time.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Rounds of a loop that a trace of this frame unrolls: max_unroll(), but more in polyfills and in
// the package's functions over trees, which have a round for each parameter.
int MaxRounds(const Tracer& tracer, const SymbolicFrame& frame);

// iter(value): GraphBreak for what only Python can iterate.
absl::StatusOr<symbolic::Value*> Iterate(Tracer& tracer, symbolic::Value* value);
// An iterator of a dict's keys, values or items as they are at each step. GraphBreak where keys
// have come or gone since it was made: Python's raises an error, or goes by places in the dict's
// table.
absl::StatusOr<symbolic::Value*> IterateDict(Tracer& tracer, symbolic::DictValue* dict,
                                             symbolic::DictViewValue::Part part,
                                             bool reversed = false);
// The next item of an existing iterator over `sequence`, a list or tuple that the segment has not
// changed before; null at the end.
absl::StatusOr<symbolic::Value*> NextOfExisting(Tracer& tracer,
                                                symbolic::LazyIteratorValue* iterator,
                                                symbolic::Value* sequence);
// The next item of what Iterate gave; null at the end.
absl::StatusOr<symbolic::Value*> NextItem(Tracer& tracer, symbolic::Value* iterator);
// The same of an object by its __next__, at the end of which StopIteration is raised in the trace.
absl::StatusOr<symbolic::Value*> NextByMethod(Tracer& tracer, symbolic::Value* iterator);
// Whether the status is that of a StopIteration raised in the trace.
bool IsStopIteration(const Tracer& tracer, const absl::Status& status);
// All items of an iterable, in a row.
absl::StatusOr<std::vector<symbolic::Value*>> Drain(Tracer& tracer, symbolic::Value* iterable);
// The same where CPython puts them into a list: it asks an object for its length first.
absl::StatusOr<std::vector<symbolic::Value*>> DrainAsList(Tracer& tracer,
                                                          symbolic::Value* iterable);
// ... or into a tuple: some versions do.
absl::StatusOr<std::vector<symbolic::Value*>> DrainAsTuple(Tracer& tracer,
                                                           symbolic::Value* iterable);
// The same where it makes a list of the iterable's iterator (PySequence_Fast).
absl::StatusOr<std::vector<symbolic::Value*>> DrainIterator(Tracer& tracer,
                                                            symbolic::Value* iterable);
// Does something with one item after the other, each before the next one is asked for.
absl::Status ForEachItem(Tracer& tracer, symbolic::Value* iterable,
                         absl::FunctionRef<absl::Status(symbolic::Value*)> what);
// The same where CPython appends to a list: it asks an object for its length first.
absl::Status ForEachListed(Tracer& tracer, symbolic::Value* iterable,
                           absl::FunctionRef<absl::Status(symbolic::Value*)> what);
// The number of items if it is known without taking any, else -1.
absl::StatusOr<int64_t> KnownLength(Tracer& tracer, symbolic::Value* value);

// Items of an array along its first axis, up to kMaxDrained.
absl::StatusOr<std::vector<symbolic::Value*>> TensorItems(Tracer& tracer,
                                                          symbolic::TensorValue* tensor);

}  // namespace dynacc::tracer
