// Storage: the memory of arrays while a segment is traced, functionalised.
//
// Memory belongs to a *root*: an array that exists (an input of the trace) or one made inside. Its
// node is its content as of now; a write makes a new node the content, and the nodes of all views
// of it are made anew, so that whatever name the program reads it by, it reads what was written
// last. What was computed before keeps the content that it was computed from. Nothing is written
// while the segment runs: at its end the last content of each existing array is put in its memory.
//
// That is right only if no two inputs share memory when one of them is written. The same object
// reached in two ways is one value (TraceContext::SameArray); other overlaps break, and each entry
// makes sure of it at every call (ArraysAreApart in frontend/cache/entry_inputs.cc).
#pragma once

#include "absl/status/status.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// Makes sure that `target` may be written: guards that its memory is writable and its own. Breaks
// if NumPy would raise, or another input of the trace shares the memory.
absl::Status RequireWritable(symbolic::TraceContext& trace, NumpyTensor* target);

// Makes `content`, of target's dtype and shape, the content of `target`, which must be writable.
// `order`: of the content, as of a tensor; nothing if it is not a computed array. Breaks where the
// memory order of an array made inside, which a write keeps, is not certain.
absl::Status Write(symbolic::TraceContext& trace, NumpyTensor* target, const ir::Node* content,
                   const COrder& order);

// The same for the part of `target` that `part` is a View node of.
absl::Status WritePart(symbolic::TraceContext& trace, NumpyTensor* target, const ir::Node* part,
                       const ir::Node* content, const COrder& order);

// Whether the program has two arrays that share no memory here. False where they are one, are views
// of one, or exist and may be.
bool AreApart(symbolic::TensorValue* a, symbolic::TensorValue* b);

// Breaks if the array library cannot be handed `tensor` as the program has it: a copy in the memory
// order of what was copied (numpy.copy), which has no gaps, where kernels would read the original;
// and, if BLAS heeds gaps, a part of complex numbers, which the graph makes without.
absl::Status CheckHandable(symbolic::TraceContext& trace, symbolic::TensorValue* tensor);

// Breaks if the existing array `tensor`, new to the trace, shares memory with one that was written.
absl::Status CheckApartFromWritten(symbolic::TraceContext& trace, NumpyTensor* tensor);

}  // namespace dynacc::numpy
