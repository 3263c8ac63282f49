// Product: one matrix product, by the memory of its operands and its result.
//
// c (rows x columns) = a (rows x inner) times b (inner x columns). Strides are in bytes and may be
// anything, 0 and negative ones included; elements are aligned to their size. The result's memory
// overlaps neither operand's; the operands may overlap each other.
//
// Inlined always: files that are compiled for other CPUs than this machine's include it.
#pragma once

#include <cstdint>
#include <utility>

namespace dynacc::cpu {

inline constexpr int64_t kMostRun = 128;

struct Product {
  int64_t rows, inner, columns;
  const char* a;
  int64_t a_row, a_inner;  // from row to row, and from one factor of a sum to the next
  const char* b;
  int64_t b_inner, b_column;
  char* c;
  int64_t c_row, c_column;

  // The left operand's rows may overlap, as windows of an array do (window_rows.h): row i begins
  // a_rows[i] bytes from a, and its factors come in runs of `run` neighbours, up to kMostRun, run r
  // a_runs[r] bytes from there. Null: as the strides say.
  const int64_t* a_rows = nullptr;
  const int64_t* a_runs = nullptr;
  int64_t run = 0;

  [[gnu::always_inline]] bool HasRuns() const { return a_rows != nullptr; }
};

// The same product seen from the other side: c' = b' a'. Each factor is the same, in the same
// order. Of one without runs.
[[gnu::always_inline]] inline Product Transposed(const Product& p) {
  return {p.columns, p.inner,   p.rows,  p.b, p.b_column, p.b_inner,
          p.a,       p.a_inner, p.a_row, p.c, p.c_column, p.c_row};
}

// The part of `p` for the rows [row, row + rows) and the columns [column, column + columns).
[[gnu::always_inline]] inline Product PartOf(const Product& p, int64_t row, int64_t rows,
                                             int64_t column, int64_t columns) {
  Product part = p;
  part.rows = rows;
  part.columns = columns;
  if (p.HasRuns()) {
    part.a_rows += row;
  } else {
    part.a += row * p.a_row;
  }
  part.b += column * p.b_column;
  part.c += row * p.c_row + column * p.c_column;
  return part;
}

// So small that blocks and copies of operands cost more than the product itself: as in batches of 3
// x 3 and 4 x 4 matrices.
[[gnu::always_inline]] inline bool IsTiny(const Product& p) {
  return p.rows <= 8 && p.inner <= 8 && p.columns <= 8 && !p.HasRuns();
}

}  // namespace dynacc::cpu
