// The loops of compress_kernels.h for one instruction-set level. Included by one source a level.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "runtime/cpu/loops/compress_kernels.h"

namespace dynacc::cpu {
namespace {

int64_t CountTrue(const uint8_t* mask, int64_t size) {
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  constexpr int64_t kWord = sizeof(uint64_t);
  int64_t count = 0, i = 0;
  for (; i + kWord <= size; i += kWord) {
    uint64_t bytes;
    std::memcpy(&bytes, mask + i, kWord);
    // The top bit of each byte that is not 0.
    count += __builtin_popcountll((((bytes & kLow) + kLow) | bytes) & ~kLow);
  }
  for (; i < size; ++i) count += mask[i] != 0;
  return count;
}

// Each element is written where the next one that counts belongs, whether it does or not, until all
// are there: no branch depends on the mask.
template <typename T>
void CompressElements(const char* from, const uint8_t* mask, int64_t, char* to, int64_t count) {
  for (int64_t i = 0, found = 0; found < count; ++i) {
    T element;
    std::memcpy(&element, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    std::memcpy(to + found * static_cast<int64_t>(sizeof(T)), &element, sizeof(T));
    found += mask[i] != 0;
  }
}

// Long rows: those that do not count are not read.
void CompressLongRows(const char* from, const uint8_t* mask, int64_t row_bytes, char* to,
                      int64_t count) {
  for (int64_t i = 0, found = 0; found < count; ++i) {
    if (mask[i] == 0) continue;
    std::memcpy(to + found++ * row_bytes, from + i * row_bytes, row_bytes);
  }
}

#if defined(__AVX512F__) && defined(__AVX512BW__)

struct Lanes4 {
  static constexpr int64_t kLanes = 16;
  static uint32_t Mask(const uint8_t* mask) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask));
    return _mm_test_epi8_mask(bytes, bytes);
  }
  static __m512i Pack(uint32_t mask, __m512i v) {
    return _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), v);
  }
  static void StoreSome(char* to, int64_t count, __m512i v) {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << count) - 1), v);
  }
};

struct Lanes8 {
  static constexpr int64_t kLanes = 8;
  static uint32_t Mask(const uint8_t* mask) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask));
    return _mm_test_epi8_mask(bytes, bytes);
  }
  static __m512i Pack(uint32_t mask, __m512i v) {
    return _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), v);
  }
  static void StoreSome(char* to, int64_t count, __m512i v) {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1u << count) - 1), v);
  }
};

// Whole vectors are stored as long as there is room for one; what is behind the packed elements is
// written over by the next.
template <typename T, typename Lanes>
void CompressVectors(const char* from, const uint8_t* mask, int64_t size, char* to, int64_t count) {
  constexpr int64_t kItem = sizeof(T);
  int64_t found = 0, i = 0;
  for (; i + Lanes::kLanes <= size; i += Lanes::kLanes) {
    const uint32_t bits = Lanes::Mask(mask + i);
    const __m512i packed = Lanes::Pack(bits, _mm512_loadu_si512(from + i * kItem));
    const int64_t some = __builtin_popcount(bits);
    if (found + Lanes::kLanes <= count) {
      _mm512_storeu_si512(to + found * kItem, packed);
    } else {
      Lanes::StoreSome(to + found * kItem, some, packed);
    }
    found += some;
  }
  CompressElements<T>(from + i * kItem, mask + i, size - i, to + found * kItem, count - found);
}

constexpr auto& kCompress4 = CompressVectors<uint32_t, Lanes4>;
constexpr auto& kCompress8 = CompressVectors<uint64_t, Lanes8>;

#else

constexpr auto& kCompress4 = CompressElements<uint32_t>;
constexpr auto& kCompress8 = CompressElements<uint64_t>;

#endif

struct Pair {
  uint64_t low, high;
};

void CompressRows(const char* from, const uint8_t* mask, int64_t size, int64_t row_bytes, char* to,
                  int64_t count) {
  if (row_bytes == 1) return CompressElements<uint8_t>(from, mask, size, to, count);
  if (row_bytes == 2) return CompressElements<uint16_t>(from, mask, size, to, count);
  if (row_bytes == 4) return kCompress4(from, mask, size, to, count);
  if (row_bytes == 8) return kCompress8(from, mask, size, to, count);
  if (row_bytes == 16) return CompressElements<Pair>(from, mask, size, to, count);
  CompressLongRows(from, mask, row_bytes, to, count);
}

}  // namespace
}  // namespace dynacc::cpu
