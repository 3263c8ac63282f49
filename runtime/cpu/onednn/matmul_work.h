// How large a matrix product must be for a library that adds in any order to be worth a call: the
// same when a graph is scheduled, when it runs and in eager functions, so that all give the same
// bits.
#pragma once

namespace dynacc::cpu {

// Multiplications of a product that is worth the library: to make its code for another shape takes
// up to a millisecond, in which our own products (runtime/cpu/matmul) do some 50 of this size.
inline constexpr double kLeastLibraryWork = 1 << 20;

// The same if the right operand is constant memory (runtime/tensor/constant_memory.h), whose
// product is sure to come again: from about here on the library's call, which takes 3 us, is the
// quicker one. Operands of bfloat16 would be cast first. Only the run knows that memory is
// constant.
inline constexpr double kLeastConstantWork = 1 << 18;
inline constexpr double kLeastConstantLowPrecisionWork = 1 << 16;

// What decides whether the library computes a product.
struct MatmulWork {
  double multiplications;
  bool is_one_row;                    // the result, leading axes included
  bool is_low_precision = false;      // operands of bfloat16
  bool has_constant_weights = false;  // or may have
};

// One row reads each weight once, in the order in which it lies: there the array library's loop, or
// our own in its place, takes 0.4 to 1.1 of the library's time, which is made for blocks.
constexpr bool IsWorthLibrary(const MatmulWork& work) {
  if (!work.has_constant_weights) {
    return work.multiplications >= kLeastLibraryWork && (work.is_low_precision || !work.is_one_row);
  }
  return work.multiplications >=
         (work.is_low_precision ? kLeastConstantLowPrecisionWork : kLeastConstantWork);
}

}  // namespace dynacc::cpu
