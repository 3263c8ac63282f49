// Draws of random numbers: calls that change an existing object, the generator.
//
// A draw is a LibraryCall node like other calls of NumPy's, made at its place in the graph. The
// draws of a trace are made in the program's order: each has the one before it as an operand. A
// generator is no part of the entry but one of its inputs; before the first draw of a run its state
// is kept, so that a run whose results are thrown away has drawn nothing (generator_state.h).
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

// Remembers numpy.random's classes; once.
void LoadSamples();

// Whether `callable` is a method of a generator class that numpy_sampling.def names, or such a
// function of numpy.random, or makes a generator (default_rng, RandomState).
bool IsSampling(BorrowedRef callable);

// Traces a call of it. `args` have the generator first if `callable` is a method.
absl::StatusOr<symbolic::Value*> CallSampling(symbolic::TraceContext& trace, BorrowedRef callable,
                                              const arrays::CallArgs& args);

}  // namespace dynacc::numpy
