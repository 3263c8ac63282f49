// The loops of take_kernels.h for one instruction-set level. Included by one source a level.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernel/take_kernels.h"

namespace dynacc {
namespace {

// Rows whose places are computed at once; and by how many rows memory is asked ahead.
constexpr int64_t kTakeBlock = 256;

constexpr int64_t kLineBytes = 64;

inline int64_t FromStart(int64_t index, int64_t rows) { return index + (index >> 63 & rows); }

bool IndicesFit(const int64_t* indices, int64_t count, int64_t rows) {
  uint64_t beyond = 0;  // the top bit counts
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = FromStart(indices[i], rows);
    beyond |= static_cast<uint64_t>(row) | static_cast<uint64_t>(rows - 1 - row);
  }
  return beyond >> 63 == 0;
}

// kRowBytes: of a row, if the compiler is to know; otherwise 0.
template <int64_t kRowBytes>
class RowTaker {
 public:
  RowTaker(const char* from, int64_t rows, int64_t row_bytes, const int64_t* indices, char* to)
      : from_(from),
        rows_(rows),
        bytes_(kRowBytes != 0 ? kRowBytes : row_bytes),
        indices_(indices),
        to_(to) {}

  void Take(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(to_ + i * bytes_, from_ + FromStart(indices_[i], rows_) * bytes_, bytes_);
    }
  }

  // While a block is moved, the rows of the next one are fetched.
  void TakeFromMemory(int64_t count) {
    int64_t places[2][kTakeBlock];
    FindPlaces(0, count, places[0]);
    for (int64_t begin = 0, turn = 0; begin < count; begin += kTakeBlock, turn ^= 1) {
      const int64_t next = begin + kTakeBlock;
      FindPlaces(next, count, places[turn ^ 1]);
      const int64_t size = Least(kTakeBlock, count - begin);
      for (int64_t i = 0; i < size; ++i) {
        if (next + i < count) Fetch(from_ + places[turn ^ 1][i]);
        std::memcpy(to_ + (begin + i) * bytes_, from_ + places[turn][i], bytes_);
      }
    }
  }

 private:
  static int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

  void FindPlaces(int64_t begin, int64_t count, int64_t* places) const {
    const int64_t size = Least(kTakeBlock, count - begin);
    for (int64_t i = 0; i < size; ++i) places[i] = FromStart(indices_[begin + i], rows_) * bytes_;
  }

  // The rest of a long row the machine foresees.
  void Fetch(const char* row) const {
    for (int64_t at = 0; at < Least(bytes_, 4 * kLineBytes); at += kLineBytes) {
      __builtin_prefetch(row + at);
    }
  }

  const char* const from_;
  const int64_t rows_, bytes_;
  const int64_t* const indices_;
  char* const to_;
};

template <int64_t kRowBytes>
void TakeRowsOf(const char* from, int64_t rows, int64_t row_bytes, const int64_t* indices,
                int64_t count, char* to, bool is_large) {
  RowTaker<kRowBytes> taker(from, rows, row_bytes, indices, to);
  is_large ? taker.TakeFromMemory(count) : taker.Take(count);
}

void TakeRows(const char* from, int64_t rows, int64_t row_bytes, const int64_t* indices,
              int64_t count, char* to, bool is_large) {
  const auto fn = row_bytes == 1    ? &TakeRowsOf<1>
                  : row_bytes == 2  ? &TakeRowsOf<2>
                  : row_bytes == 4  ? &TakeRowsOf<4>
                  : row_bytes == 8  ? &TakeRowsOf<8>
                  : row_bytes == 16 ? &TakeRowsOf<16>
                  : row_bytes == 24 ? &TakeRowsOf<24>
                  : row_bytes == 32 ? &TakeRowsOf<32>
                                    : &TakeRowsOf<0>;
  fn(from, rows, row_bytes, indices, count, to, is_large);
}

}  // namespace
}  // namespace dynacc
