// Loops that move elements into places where kernels find them side by side, once for each
// instruction-set level (move_kernels_base.cc and its like). They move bits and raise no flag.
#pragma once

#include <bit>
#include <cstdint>

namespace dynacc::cpu {

// Copies `count` elements, `stride` bytes apart from `from` on, to `to`, side by side.
using GatherRunFn = void (*)(char* to, const char* from, int64_t stride, int64_t count);

// `count` rows of `length` elements each: `stride` bytes lead from element to element, `row_stride`
// from row to row. Either may be 0.
struct StridedRows {
  int64_t stride, length, row_stride, count;
};

// Copies the elements of rows that begin at `from`, a few elements each, to `to`, side by side.
using GatherRowsFn = void (*)(char* to, const char* from, const StridedRows& rows);

// The same between places that lie anyhow: from element to element, and from row to row.
struct RowsToCopy {
  int64_t to_stride, to_row_stride, from_stride, from_row_stride, length, count;
};
using CopyRowsFn = void (*)(char* to, const char* from, const RowsToCopy& rows);

// Element (r, c) of `to`, whose rows are `to_stride` bytes apart, becomes element (c, r) of `from`,
// whose rows are `from_stride` bytes apart; elements of a row are side by side. No overlap.
using TransposeFn = void (*)(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                             int64_t rows, int64_t columns);

// Copies the element at `from` to all places of `bytes` bytes from `to` on, which have room for as
// many as make 64 or a multiple. In stores as wide as the loads of who reads them: a CPU hands on
// to a load what one store wrote, and waits for the cache where it takes several.
using RepeatFn = void (*)(char* to, const char* from, int64_t bytes);

struct MoveFns {
  // By the logarithm of an element's size, 1 to 16 bytes.
  RepeatFn repeat[5];
  GatherRunFn gather[5];
  GatherRowsFn gather_rows[5];
  CopyRowsFn copy_rows[5];
  TransposeFn transpose[5];
};

extern const MoveFns kMoveFnsBase;
extern const MoveFns kMoveFnsV3;  // AVX2
extern const MoveFns kMoveFnsV4;  // AVX-512

// The best of them on this machine that DYNACC_CPU allows.
const MoveFns& MoveFnsOfThisMachine();

// The row of a table for elements of so many bytes, a power of two up to 16.
inline int SizeClass(int64_t bytes) { return std::countr_zero(static_cast<uint64_t>(bytes)); }

}  // namespace dynacc::cpu
