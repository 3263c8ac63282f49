// The loops of take_kernels.h for one instruction-set level. Included by one source a level.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/cpu/loops/take_kernels.h"

namespace dynacc::cpu {
namespace {

// Rows whose places are computed at once; and by how many rows memory is asked ahead.
constexpr int64_t kTakeBlock = 256;

constexpr int64_t kLineBytes = 64;

// kRowBytes: of a row, if the compiler is to know; otherwise 0.
template <int64_t kRowBytes>
class RowTaker {
 public:
  RowTaker(const char* from, int64_t rows, int64_t row_bytes, const int64_t* indices, int64_t count,
           char* to)
      : from_(from),
        rows_(rows),
        row_bytes_(row_bytes),
        indices_(indices),
        count_(count),
        to_(to) {}

  bool Take() {
    int64_t places[kTakeBlock];
    for (int64_t begin = 0; begin < count_; begin += kTakeBlock) {
      if (!FindPlaces(begin, places)) return false;
      const int64_t size = SizeOf(begin);
      for (int64_t i = 0; i < size; ++i) Move(begin + i, places[i]);
    }
    return true;
  }

  // While a block is moved, the rows of the next one are fetched.
  bool TakeFromMemory() {
    int64_t places[2][kTakeBlock];
    if (!FindPlaces(0, places[0])) return false;
    for (int64_t begin = 0, turn = 0; begin < count_; begin += kTakeBlock, turn ^= 1) {
      if (!FindPlaces(begin + kTakeBlock, places[turn ^ 1])) return false;
      const int64_t size = SizeOf(begin), to_fetch = SizeOf(begin + kTakeBlock);
      for (int64_t i = 0; i < size; ++i) {
        if (i < to_fetch) Fetch(from_ + places[turn ^ 1][i]);
        Move(begin + i, places[turn][i]);
      }
    }
    return true;
  }

 private:
  static int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }
  int64_t bytes() const { return kRowBytes != 0 ? kRowBytes : row_bytes_; }

  // Rows of the block that begins there; not positive behind the last.
  int64_t SizeOf(int64_t begin) const { return Least(kTakeBlock, count_ - begin); }

  void Move(int64_t row, int64_t place) {
    std::memcpy(to_ + row * bytes(), from_ + place, bytes());
  }

  // Where the rows of a block begin. False if one is beyond the array; its place, which nobody
  // reads, may wrap around.
  bool FindPlaces(int64_t begin, int64_t* places) const {
    uint64_t beyond = 0;  // the top bit counts
    const int64_t size = SizeOf(begin);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t index = indices_[begin + i];
      const int64_t row = index + (index >> 63 & rows_);
      beyond |= static_cast<uint64_t>(row) | static_cast<uint64_t>(rows_ - 1 - row);
      places[i] = static_cast<int64_t>(static_cast<uint64_t>(row) * static_cast<uint64_t>(bytes()));
    }
    return beyond >> 63 == 0;
  }

  // The rest of a long row the machine foresees.
  void Fetch(const char* row) const {
    for (int64_t at = 0; at < Least(bytes(), 4 * kLineBytes); at += kLineBytes) {
      __builtin_prefetch(row + at);
    }
  }

  const char* const from_;
  const int64_t rows_, row_bytes_;
  const int64_t* const indices_;
  const int64_t count_;
  char* const to_;
};

template <int64_t kRowBytes>
bool TakeRowsOf(const char* from, int64_t rows, int64_t row_bytes, const int64_t* indices,
                int64_t count, char* to, bool is_large) {
  RowTaker<kRowBytes> taker(from, rows, row_bytes, indices, count, to);
  return is_large ? taker.TakeFromMemory() : taker.Take();
}

bool TakeRows(const char* from, int64_t rows, int64_t row_bytes, const int64_t* indices,
              int64_t count, char* to, bool is_large) {
  const auto fn = row_bytes == 1    ? &TakeRowsOf<1>
                  : row_bytes == 2  ? &TakeRowsOf<2>
                  : row_bytes == 4  ? &TakeRowsOf<4>
                  : row_bytes == 8  ? &TakeRowsOf<8>
                  : row_bytes == 16 ? &TakeRowsOf<16>
                  : row_bytes == 24 ? &TakeRowsOf<24>
                  : row_bytes == 32 ? &TakeRowsOf<32>
                                    : &TakeRowsOf<0>;
  return fn(from, rows, row_bytes, indices, count, to, is_large);
}

}  // namespace
}  // namespace dynacc::cpu
