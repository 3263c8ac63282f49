// How large a matrix product must be for a library that adds in any order to be worth a call: the
// same when a graph is scheduled, when it runs and in eager functions, so that all give the same
// bits.
#pragma once

#include <optional>

#include "codegen/graph/graph.h"

namespace dynacc {

// Multiplications of a product that is worth the library: to make its code for another shape takes
// up to a millisecond, in which our own products (runtime/products) do some 50 of this size.
inline constexpr double kLeastLibraryWork = 1 << 20;

// The same if the right operand is constant memory (runtime/tensor/constant_memory.h), whose
// product is sure to come again: from about here on the library's call, which takes 3 us, is the
// quicker one. Operands of bfloat16 would be cast first. Only the run knows that memory is
// constant.
inline constexpr double kLeastConstantWork = 1 << 18;
inline constexpr double kLeastConstantNarrowWork = 1 << 16;

// Which of them holds: for a right operand that is, or may be, constant memory, or operands of
// bfloat16 (narrow).
constexpr double LeastLibraryWork(bool constant, bool narrow) {
  if (!constant) return kLeastLibraryWork;
  return narrow ? kLeastConstantNarrowWork : kLeastConstantWork;
}

// The multiplications of a Matmul; nothing if they depend on sizes that vary.
std::optional<double> KnownWork(const Graph& graph, const Node* product);

}  // namespace dynacc
