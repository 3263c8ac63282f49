// Inner loops for tests without NumPy: plain C++ with NumPy's semantics, sums pairwise.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/kernel/library_loops.h"

namespace dynacc::testing {

// NumPy's pairwise sum (loops_utils.h.src), of n elements `stride` bytes apart.
template <typename T>
T PairwiseSum(const char* a, intptr_t n, intptr_t stride) {
  auto at = [&](intptr_t i) { return *reinterpret_cast<const T*>(a + i * stride); };
  if (n < 8) {
    T sum = 0;
    for (intptr_t i = 0; i < n; ++i) sum += at(i);
    return sum;
  }
  if (n <= 128) {
    T r[8];
    for (int k = 0; k < 8; ++k) r[k] = at(k);
    intptr_t i = 8;
    for (; i < n - n % 8; i += 8) {
      for (int k = 0; k < 8; ++k) r[k] += at(i + k);
    }
    T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += at(i);
    return sum;
  }
  intptr_t half = n / 2;
  half -= half % 8;
  return PairwiseSum<T>(a, half, stride) + PairwiseSum<T>(a + half * stride, n - half, stride);
}

template <typename T, auto kFunction, typename R = T>
void BinaryLoop(char** args, const intptr_t* n, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < *n; ++i) {
    const T a = *reinterpret_cast<const T*>(args[0] + i * steps[0]);
    const T b = *reinterpret_cast<const T*>(args[1] + i * steps[1]);
    *reinterpret_cast<R*>(args[2] + i * steps[2]) = kFunction(a, b);
  }
}

template <typename T, auto kFunction, typename R = T>
void UnaryLoop(char** args, const intptr_t* n, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < *n; ++i) {
    const T a = *reinterpret_cast<const T*>(args[0] + i * steps[0]);
    *reinterpret_cast<R*>(args[1] + i * steps[1]) = kFunction(a);
  }
}

// add: reduces pairwise when the accumulator stands still.
template <typename T>
void AddLoop(char** args, const intptr_t* n, const intptr_t* steps, void* data) {
  if (args[0] == args[2] && steps[0] == 0 && steps[2] == 0) {
    *reinterpret_cast<T*>(args[0]) += PairwiseSum<T>(args[1], *n, steps[1]);
    return;
  }
  BinaryLoop<T, [](T a, T b) { return static_cast<T>(a + b); }>(args, n, steps, data);
}

template <typename T>
void MatmulLoop(char** args, const intptr_t* sizes, const intptr_t* steps, void*) {
  for (intptr_t o = 0; o < sizes[0]; ++o) {
    for (intptr_t i = 0; i < sizes[1]; ++i) {
      for (intptr_t j = 0; j < sizes[3]; ++j) {
        T sum = 0;
        for (intptr_t k = 0; k < sizes[2]; ++k) {
          sum += *reinterpret_cast<const T*>(args[0] + o * steps[0] + i * steps[3] + k * steps[4]) *
                 *reinterpret_cast<const T*>(args[1] + o * steps[1] + k * steps[5] + j * steps[6]);
        }
        *reinterpret_cast<T*>(args[2] + o * steps[2] + i * steps[7] + j * steps[8]) = sum;
      }
    }
  }
}

}  // namespace dynacc::testing
