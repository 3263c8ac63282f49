// Rows picked by indices, which count from the end where they are negative: once for each
// instruction-set level (take_kernels_base.cc and its like).
#pragma once

#include <cstdint>

namespace dynacc::cpu {

struct TakeFns {
  // Copies rows of `row_bytes` bytes, those of `rows` that the indices name, to `to`, side by side.
  // False if an index names none: then some of the others have been copied, and some not.
  // `is_large`: the cache does not hold `from`; what comes next is asked for ahead.
  bool (*take)(const char* from, int64_t rows, int64_t row_bytes, const int64_t* indices,
               int64_t count, char* to, bool is_large);
};

extern const TakeFns kTakeFnsBase;
extern const TakeFns kTakeFnsV3;  // AVX2
extern const TakeFns kTakeFnsV4;  // AVX-512

// The best of them on this machine that DYNACC_CPU allows.
const TakeFns& TakeFnsOfThisMachine();

}  // namespace dynacc::cpu
