// ReduceCalls: how many elements NumPy hands to each call of a reduce loop.
//
// Sums are pairwise within a call, and the sign of a greatest zero depends on how a vector loop
// walks through one, so the calls decide about the bits. Up to NumPy 2.2 the iterator cuts what is
// reduced along the innermost axes into its buffer's 8192 elements, whether it needs the buffer or
// not. Since 2.3 it looks for a setup that costs least (npyiter_find_buffering_setup in
// nditer_constr.c): what can be walked in one stride is one call, however long, and where axes have
// gaps between them whole inner rows are copied into the buffer, as many as fit.
#pragma once

#include <cstdint>

#include "runtime/executor/memory_order.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {

// The buffer size of NumPy's iterators, in elements.
inline constexpr int64_t kChunkElements = 8192;

// The elements of a run (all innermost reduced axes together) are blocks of `block` elements, and a
// block is calls of `call` elements, the last of them with what is left.
struct ReduceCalls {
  int64_t block = INT64_MAX;
  int64_t call = kChunkElements;
};

// Whether the array library at hand does as NumPy 2.3. Said once, before anything runs.
void SetGrowingCalls(bool grow);
bool HasGrowingCalls();

// The calls of NumPy 2.3 for `source` as it lies there, iterated in `order`; bit i of `reduced`:
// axis i is.
ReduceCalls FindGrowingCalls(const StridedView& source, const AxisOrder& order, uint32_t reduced);

}  // namespace dynacc::executor
