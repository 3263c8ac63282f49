// Rows picked by a mask: once for each instruction-set level (compress_kernels_base.cc and its
// like).
#pragma once

#include <cstdint>

namespace dynacc::cpu {

struct CompressFns {
  // Bytes of the mask that are not 0.
  int64_t (*count)(const uint8_t* mask, int64_t size);

  // Copies the rows of `row_bytes` bytes at whose places the mask is not 0 to `to`, side by side:
  // `count` of them, which are all. Nothing behind them is written.
  void (*compress)(const char* from, const uint8_t* mask, int64_t size, int64_t row_bytes, char* to,
                   int64_t count);
};

extern const CompressFns kCompressFnsBase;
extern const CompressFns kCompressFnsV3;  // AVX2
extern const CompressFns kCompressFnsV4;  // AVX-512

// The best of them on this machine that DYNACC_CPU allows.
const CompressFns& CompressFnsOfThisMachine();

}  // namespace dynacc::cpu
