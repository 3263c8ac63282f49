// Windows: parts of arrays along several axes, with which loop programs compute as a whole.
//
// `x[:, i:i + k, j:j + k].max(axis=(1, 2))` in two loops spends its time on everything but the
// elements, as 1-D slices do (loop_slices.h). A window of doubles lies in registers as a 1-D slice
// does: the address of its first element; for each axis the bytes from one element to the next and
// how many there are. A 1-D slice is a window of one axis.
#pragma once

#include "runtime/loops/loop_slices.h"

namespace dynacc::loops {

// More is worth kernels.
inline constexpr int64_t kLargestWindow = 8192;

// Does a call of the kinds kWindow..., as RunSlice1d.
bool RunWindow(const Slice1dCall& call, const kernel::LibraryLoop& loop, LoopScratch& scratch,
               const LoopSlot* a, const LoopSlot* b, LoopSlot* d);

}  // namespace dynacc::loops
