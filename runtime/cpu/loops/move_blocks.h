// The loops of move_kernels.h for one instruction-set level. Included by one source a level.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/cpu/loops/move_kernels.h"

namespace dynacc::cpu {
namespace {

struct alignas(8) Pair {
  uint64_t low, high;
};

template <typename T>
struct Places {
  typedef T Unaligned __attribute__((aligned(1), may_alias));
};
template <>
struct Places<Pair> {
  struct __attribute__((packed, may_alias)) Unaligned {
    uint64_t low, high;
  };
};

template <typename T>
struct GatherRun {
  using Unaligned = typename Places<T>::Unaligned;

  // A step that the compiler knows: it loads vectors and permutes them.
  template <int kStep>
  static void Evenly(char* to, const char* from, int64_t count) {
    auto* __restrict result = reinterpret_cast<Unaligned*>(to);
    const auto* __restrict elements = reinterpret_cast<const Unaligned*>(from);
    for (int64_t i = 0; i < count; ++i) result[i] = elements[i * kStep];
  }

  static void Run(char* to, const char* from, int64_t stride, int64_t count) {
    constexpr int64_t kSize = sizeof(T);
    if (count == 0) return;  // there may be no memory at all
    if (stride == kSize) {
      std::memcpy(to, from, count * kSize);
    } else if (stride == 2 * kSize) {
      Evenly<2>(to, from, count);
    } else if (stride == 3 * kSize) {
      Evenly<3>(to, from, count);
    } else if (stride == 4 * kSize) {
      Evenly<4>(to, from, count);
    } else if (stride == -kSize) {
      Evenly<-1>(to, from, count);
    } else {
      auto* __restrict result = reinterpret_cast<Unaligned*>(to);
      for (int64_t i = 0; i < count; ++i) {
        result[i] = *reinterpret_cast<const Unaligned*>(from + i * stride);
      }
    }
  }
};

template <typename T>
struct GatherRows {
  using Unaligned = typename Places<T>::Unaligned;
  static constexpr int64_t kSize = sizeof(T);

  // kLength: of a row, where the compiler is to know it.
  template <int kLength>
  static void OneByOne(char* to, const char* from, const StridedRows& rows) {
    const int64_t length = kLength > 0 ? kLength : rows.length;
    // In registers: what is written could be a part of `rows`, as far as the compiler can tell.
    const int64_t stride = rows.stride, row_stride = rows.row_stride, count = rows.count;
    auto* result = reinterpret_cast<Unaligned*>(to);
    for (int64_t r = 0; r < count; ++r, result += length, from += row_stride) {
      for (int64_t i = 0; i < length; ++i) {
        result[i] = *reinterpret_cast<const Unaligned*>(from + i * stride);
      }
    }
  }

  // As many rows as come to whole vectors, and then copies of what is there, vector by vector: what
  // is read then is just one of the vectors that were written, which need not reach the cache
  // first.
  static void Repeat(char* to, const char* from, const StridedRows& rows) {
    constexpr int64_t kVector = 64;
    const int64_t row_bytes = rows.length * kSize;
    const int64_t power = row_bytes & -row_bytes;  // of two, that divides a row
    const int64_t needed = power < kVector ? kVector / power : 1;
    const int64_t first = needed < rows.count ? needed : rows.count;
    OneByOne<0>(to, from, {rows.stride, rows.length, 0, first});
    const int64_t period = first * row_bytes, all = rows.count * row_bytes;
    int64_t at = period;
    for (; at + kVector <= all; at += kVector) {
      __builtin_memcpy(to + at, to + at - period, kVector);
    }
    for (; at < all; at += kSize) __builtin_memcpy(to + at, to + at - period, kSize);
  }

  static void Run(char* to, const char* from, const StridedRows& rows) {
    if (rows.count == 0 || rows.length == 0) return;
    if (rows.row_stride == 0) {
      Repeat(to, from, rows);
    } else if (rows.row_stride == rows.length * rows.stride) {
      GatherRun<T>::Run(to, from, rows.stride, rows.length * rows.count);
    } else if (rows.length == 2) {
      OneByOne<2>(to, from, rows);
    } else if (rows.length == 3) {
      OneByOne<3>(to, from, rows);
    } else if (rows.length == 4) {
      OneByOne<4>(to, from, rows);
    } else {
      OneByOne<0>(to, from, rows);
    }
  }
};

template <typename T>
struct CopyRows {
  using Unaligned = typename Places<T>::Unaligned;
  static constexpr int64_t kSize = sizeof(T);

  // Longer rows are worth a call of the C library's function.
  static constexpr int64_t kShortBytes = 256;

  static void Run(char* to, const char* from, const RowsToCopy& rows) {
    const int64_t bytes = rows.length * kSize;
    if (rows.to_stride != kSize) {
      OneByOne(to, from, rows);
    } else if (rows.to_row_stride == bytes) {
      GatherRows<T>::Run(to, from,
                         {rows.from_stride, rows.length, rows.from_row_stride, rows.count});
    } else if (rows.from_stride == kSize && bytes <= kShortBytes) {
      SideBySide(to, from, rows, bytes);
    } else {
      for (int64_t r = 0; r < rows.count; ++r) {
        GatherRun<T>::Run(to + r * rows.to_row_stride, from + r * rows.from_row_stride,
                          rows.from_stride, rows.length);
      }
    }
  }

 private:
  static void OneByOne(char* to, const char* from, const RowsToCopy& rows) {
    for (int64_t r = 0; r < rows.count; ++r) {
      for (int64_t i = 0; i < rows.length; ++i) {
        *reinterpret_cast<Unaligned*>(to + i * rows.to_stride) =
            *reinterpret_cast<const Unaligned*>(from + i * rows.from_stride);
      }
      to += rows.to_row_stride;
      from += rows.from_row_stride;
    }
  }

  // Pieces of kPiece bytes; the last one lies over the one before it.
  template <int64_t kPiece>
  static void InPieces(char* to, const char* from, const RowsToCopy& rows, int64_t bytes) {
    for (int64_t r = 0; r < rows.count; ++r) {
      for (int64_t at = 0; at < bytes - kPiece; at += kPiece) {
        __builtin_memcpy(to + at, from + at, kPiece);
      }
      __builtin_memcpy(to + bytes - kPiece, from + bytes - kPiece, kPiece);
      to += rows.to_row_stride;
      from += rows.from_row_stride;
    }
  }

  static void SideBySide(char* to, const char* from, const RowsToCopy& rows, int64_t bytes) {
    if (bytes >= 16) return InPieces<16>(to, from, rows, bytes);
    if (bytes >= 8) return InPieces<8>(to, from, rows, bytes);
    if (bytes >= 4) return InPieces<4>(to, from, rows, bytes);
    OneByOne(to, from, rows);
  }
};

// Blocks of kLanes x kLanes elements, in vectors of kBytes. A block is transposed by log2(kLanes)
// rounds in each of which vector i meets vector i + kLanes / 2 and their elements alternate.
template <typename T, int kBytes>
class TransposeBlocks {
 public:
  static void Run(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t rows,
                  int64_t columns) {
    const int64_t full_rows = rows / kLanes * kLanes, full_columns = columns / kLanes * kLanes;
    for (int64_t c = 0; c < full_columns; c += kLanes) {
      Prefetch(from + (c + kLanes) * from_stride, from_stride, rows);
      for (int64_t r = 0; r < full_rows; r += kLanes) {
        Block(to + r * to_stride + c * kSize, to_stride, from + c * from_stride + r * kSize,
              from_stride);
      }
    }
    OneByOne(to, to_stride, from, from_stride, {full_rows, rows}, {0, full_columns});
    OneByOne(to, to_stride, from, from_stride, {0, rows}, {full_columns, columns});
  }

 private:
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int kLanes = kBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T Unaligned __attribute__((vector_size(kBytes), aligned(1), may_alias));
  using Element = typename Places<T>::Unaligned;
  struct Range {
    int64_t begin, end;
  };

  // What the next blocks read: rows far apart, which the machine does not foresee. A prefetch
  // beyond the array does nothing.
  static void Prefetch(const char* from, int64_t from_stride, int64_t rows) {
    for (int i = 0; i < kLanes; ++i) {
      const char* const row = from + i * from_stride;
      for (int64_t at = 0; at < rows * kSize; at += 64) __builtin_prefetch(row + at);
      __builtin_prefetch(row + rows * kSize - 1);
    }
  }

  template <int kHalf, size_t... kLane>
  static Vector Alternate(Vector a, Vector b, std::index_sequence<kLane...>) {
    constexpr int kFrom = kHalf * kLanes / 2;
    return __builtin_shufflevector(a, b, (kFrom + kLane / 2 + (kLane % 2) * kLanes)...);
  }

  static void Block(char* to, int64_t to_stride, const char* from, int64_t from_stride) {
    constexpr auto kAll = std::make_index_sequence<kLanes>();
    Vector rows[kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      rows[i] = *reinterpret_cast<const Unaligned*>(from + i * from_stride);
    }
#pragma GCC unroll 4
    for (int round = 1; round < kLanes; round *= 2) {
      Vector next[kLanes];
#pragma GCC unroll 8
      for (int i = 0; i < kLanes / 2; ++i) {
        next[2 * i] = Alternate<0>(rows[i], rows[i + kLanes / 2], kAll);
        next[2 * i + 1] = Alternate<1>(rows[i], rows[i + kLanes / 2], kAll);
      }
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) rows[i] = next[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) *reinterpret_cast<Unaligned*>(to + i * to_stride) = rows[i];
  }

  static void OneByOne(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                       Range rows, Range columns) {
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      auto* const row = reinterpret_cast<Element*>(to + r * to_stride);
      for (int64_t c = columns.begin; c < columns.end; ++c) {
        row[c] = *reinterpret_cast<const Element*>(from + c * from_stride + r * kSize);
      }
    }
  }
};

// Elements of 16 bytes, which fill a vector of their own.
void TransposePairs(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                    int64_t rows, int64_t columns) {
  using Element = Places<Pair>::Unaligned;
  for (int64_t c = 0; c < columns; ++c) {
    const auto* const column = reinterpret_cast<const Element*>(from + c * from_stride);
    for (int64_t r = 0; r < rows; ++r) {
      reinterpret_cast<Element*>(to + r * to_stride)[c] = column[r];
    }
  }
}

template <typename T, int kBytes>
void RepeatElement(char* to, const char* from, int64_t bytes) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T Unaligned __attribute__((vector_size(kBytes), aligned(1), may_alias));
  T element;
  std::memcpy(&element, from, sizeof(element));
  const Vector all = element - Vector{};
  for (int64_t i = 0; i < bytes; i += kBytes) *reinterpret_cast<Unaligned*>(to + i) = all;
}

void RepeatPair(char* to, const char* from, int64_t bytes) {
  Pair element;
  std::memcpy(&element, from, sizeof(element));
  for (int64_t i = 0; i < bytes; i += 16) std::memcpy(to + i, &element, sizeof(element));
}

// kBytes: of the widest vector. Narrow elements use 16 bytes, whose halves alternate in one
// instruction on every machine.
template <int kBytes>
constexpr MoveFns MoveFnsOf() {
  return {{&RepeatElement<uint8_t, kBytes>, &RepeatElement<uint16_t, kBytes>,
           &RepeatElement<uint32_t, kBytes>, &RepeatElement<uint64_t, kBytes>, &RepeatPair},
          {&GatherRun<uint8_t>::Run, &GatherRun<uint16_t>::Run, &GatherRun<uint32_t>::Run,
           &GatherRun<uint64_t>::Run, &GatherRun<Pair>::Run},
          {&GatherRows<uint8_t>::Run, &GatherRows<uint16_t>::Run, &GatherRows<uint32_t>::Run,
           &GatherRows<uint64_t>::Run, &GatherRows<Pair>::Run},
          {&CopyRows<uint8_t>::Run, &CopyRows<uint16_t>::Run, &CopyRows<uint32_t>::Run,
           &CopyRows<uint64_t>::Run, &CopyRows<Pair>::Run},
          {&TransposeBlocks<uint8_t, 16>::Run, &TransposeBlocks<uint16_t, 16>::Run,
           &TransposeBlocks<uint32_t, kBytes>::Run, &TransposeBlocks<uint64_t, kBytes>::Run,
           &TransposePairs}};
}

}  // namespace
}  // namespace dynacc::cpu
