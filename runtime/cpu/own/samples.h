// Elements on which loops and functions of our own are compared with the array library's.
#pragma once

#include <cstdint>

#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// A stream of bits that is the same in every process (splitmix64).
class Bits {
 public:
  explicit Bits(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

// Fills `count` elements with numbers of all magnitudes, most of them near 1, and special ones: the
// same for the same seed.
void FillSamples(DType dtype, char* to, int64_t count, uint64_t seed);

// The same bits, or both NaN: of complex numbers part by part.
bool AreSame(const char* a, const char* b, DType dtype);

}  // namespace dynacc::cpu
