// LoopNest: N-d iteration over several strided operands around a one-dimensional kernel.
//
// Plain data on the stack, no allocation. Axis 0 is the innermost. Strides are kept axis by axis,
// so that `strides[0]` is what a kernel takes.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "runtime/executor/memory_order.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {

// Operands that one kernel may have; the scheduler keeps groups below it.
inline constexpr int kMaxOperands = 32;

// Elements of one call when the innermost axis of memory is not the one that kernels run along:
// small enough that neighbouring elements are still in cache at the next pass.
inline constexpr int64_t kBlockElements = 2048;

// A run shorter than this costs a kernel more in calls than in elements.
inline constexpr int64_t kShortRun = 32;

struct LoopNest {
  int rank = 0;
  int num_operands = 0;
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank][kMaxOperands];  // bytes
  char* pointers[kMaxOperands];

  // Nests are copied on the hot path; most of a nest is unused.
  LoopNest() = default;
  LoopNest(const LoopNest& other);
  LoopNest& operator=(const LoopNest&) = delete;

  int64_t size() const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= shape[i];
    return count;
  }
};

// Starts a nest over `rank` axes of `shape`, in `order`.
void StartNest(LoopNest& nest, int rank, const int64_t* shape);

// Adds an operand with these strides per axis of the shape (in C axis numbering, as in the shape).
void AddOperand(LoopNest& nest, char* data, const int64_t* strides);

// Puts the axes into `order` (nest axis i becomes order.axis[i] of the C numbering), leaving out
// axes of size 1.
void OrderAxes(LoopNest& nest, const AxisOrder& order);

void SwapAxes(LoopNest& nest, int a, int b);

// Whether axes `inner` and `inner + 1` are one for operands [0, operands).
bool CanMerge(const LoopNest& nest, int inner, int operands);

// Makes neighbouring axes that all operands walk evenly one axis; keeps the order of elements.
void Coalesce(LoopNest& nest);

// Orders and coalesces axes for speed: any order of elements.
void OptimizeNest(LoopNest& nest);

// The part-th of `parts` slices of the nest along its outermost axis of sufficient size.
LoopNest SliceOf(const LoopNest& nest, int axis, int part, int parts);

// The axis along which a nest is best split for threads.
int SplitAxis(const LoopNest& nest);

// Calls run(pointers, strides, n) for runs that cover the nest once, in its order, except that a
// nest with a short innermost axis runs along a longer one, block by block.
using RunFn = absl::FunctionRef<void(char* const* pointers, const int64_t* strides, int64_t n)>;
void ForEachRun(const LoopNest& nest, RunFn run);

// The same with the runs of two axes at a time: run(pointers, strides, n, row_strides, rows).
using RunRowsFn = absl::FunctionRef<void(char* const* pointers, const int64_t* strides, int64_t n,
                                         const int64_t* row_strides, int64_t rows)>;
void ForEachRows(const LoopNest& nest, RunRowsFn run);

// ForEachRun and ForEachRows in the strict order of the nest's axes.
void ForEachRunInOrder(const LoopNest& nest, RunFn run);
void ForEachRowsInOrder(const LoopNest& nest, RunRowsFn run);

}  // namespace dynacc::executor
