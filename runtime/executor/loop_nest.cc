#include "runtime/executor/loop_nest.h"

#include <algorithm>
#include <utility>

#include "runtime/base/check.h"

namespace dynacc::executor {
namespace {

// A short run is worth exchanging for one along an axis that is so many times as long.
constexpr int64_t kLongerBy = 4;

void MoveAxis(LoopNest& nest, int to, int from) {
  nest.shape[to] = nest.shape[from];
  std::copy_n(nest.strides[from], nest.num_operands, nest.strides[to]);
}

void Advance(LoopNest& nest, int axis, int64_t by) {
  for (int k = 0; k < nest.num_operands; ++k) nest.pointers[k] += by * nest.strides[axis][k];
}

// Calls visit() at each place of the axes from `first` outwards, with the nest's pointers there.
template <typename Visit>
void WalkAxes(LoopNest& nest, int first, const Visit& visit) {
  int64_t index[kMaxRank] = {};
  for (;;) {
    visit();
    int axis = first;
    for (; axis < nest.rank; ++axis) {
      Advance(nest, axis, 1);
      if (++index[axis] < nest.shape[axis]) break;
      Advance(nest, axis, -nest.shape[axis]);
      index[axis] = 0;
    }
    if (axis >= nest.rank) return;
  }
}

// Runs along axis 0, the others around it from axis 1 outwards.
void RunAround(LoopNest& nest, RunFn run) {
  WalkAxes(nest, 1, [&] { run(nest.pointers, nest.strides[0], nest.shape[0]); });
}

// A run of so many neighbours fills a vector: that is better than a long one of elements apart.
constexpr int64_t kFullVector = 8;

bool AreNeighbours(const LoopNest& nest) {
  return std::all_of(nest.strides[0], nest.strides[0] + nest.num_operands,
                     [](int64_t stride) { return stride >= 0 && stride <= kMaxItemSize; });
}

// The axis to run along: the innermost, unless it is short and another is much longer.
int RunAxis(const LoopNest& nest) {
  if (nest.rank == 1 || nest.shape[0] >= kShortRun) return 0;
  if (nest.shape[0] >= kFullVector && AreNeighbours(nest)) return 0;
  const int longest =
      static_cast<int>(std::max_element(nest.shape, nest.shape + nest.rank) - nest.shape);
  return nest.shape[longest] >= kLongerBy * nest.shape[0] ? longest : 0;
}

}  // namespace

LoopNest::LoopNest(const LoopNest& other) : rank(other.rank), num_operands(other.num_operands) {
  std::copy_n(other.shape, rank, shape);
  for (int i = 0; i < rank; ++i) std::copy_n(other.strides[i], num_operands, strides[i]);
  std::copy_n(other.pointers, num_operands, pointers);
}

void StartNest(LoopNest& nest, int rank, const int64_t* shape) {
  nest.rank = rank;
  nest.num_operands = 0;
  std::copy_n(shape, rank, nest.shape);
}

void AddOperand(LoopNest& nest, char* data, const int64_t* strides) {
  DYNACC_CHECK(nest.num_operands < kMaxOperands) << "too many operands";
  const int k = nest.num_operands++;
  nest.pointers[k] = data;
  for (int i = 0; i < nest.rank; ++i) nest.strides[i][k] = strides[i];
}

void OrderAxes(LoopNest& nest, const AxisOrder& order) {
  const LoopNest from = nest;
  nest.rank = 0;
  for (int i = 0; i < from.rank; ++i) {
    const int axis = order.axis[i];
    if (from.shape[axis] == 1) continue;
    nest.shape[nest.rank] = from.shape[axis];
    std::copy_n(from.strides[axis], from.num_operands, nest.strides[nest.rank]);
    ++nest.rank;
  }
  if (nest.rank == 0) {
    nest.rank = 1;
    nest.shape[0] = 1;
    // One element: any stride does, but 0 on an output would look like a reduction to a ufunc loop.
    std::fill_n(nest.strides[0], nest.num_operands, static_cast<int64_t>(sizeof(double)));
  }
}

void SwapAxes(LoopNest& nest, int a, int b) {
  std::swap(nest.shape[a], nest.shape[b]);
  std::swap_ranges(nest.strides[a], nest.strides[a] + nest.num_operands, nest.strides[b]);
}

bool CanMerge(const LoopNest& nest, int inner, int operands) {
  for (int k = 0; k < operands; ++k) {
    if (nest.strides[inner + 1][k] != nest.strides[inner][k] * nest.shape[inner]) return false;
  }
  return true;
}

void Coalesce(LoopNest& nest) {
  int last = 0;
  for (int axis = 1; axis < nest.rank; ++axis) {
    if (last + 1 != axis) MoveAxis(nest, last + 1, axis);
    if (CanMerge(nest, last, nest.num_operands)) {
      nest.shape[last] *= nest.shape[last + 1];
    } else {
      ++last;
    }
  }
  nest.rank = last + 1;
}

void OptimizeNest(LoopNest& nest) {
  int64_t by_operand[kMaxOperands][kMaxRank];
  const int64_t* operands[kMaxOperands];
  for (int k = 0; k < nest.num_operands; ++k) {
    for (int i = 0; i < nest.rank; ++i) {
      by_operand[k][i] = nest.shape[i] == 1 ? 0 : nest.strides[i][k];
    }
    operands[k] = by_operand[k];
  }
  OrderAxes(nest, FindAxisOrder(nest.rank, {operands, static_cast<size_t>(nest.num_operands)}));
  Coalesce(nest);
}

int SplitAxis(const LoopNest& nest) {
  const int64_t enough = 64;
  for (int axis = nest.rank - 1; axis > 0; --axis) {
    if (nest.shape[axis] >= enough) return axis;
  }
  return static_cast<int>(std::max_element(nest.shape, nest.shape + nest.rank) - nest.shape);
}

LoopNest SliceOf(const LoopNest& nest, int axis, int part, int parts) {
  LoopNest slice = nest;
  // Starts of slices of a contiguous axis are multiples of 64 elements, a cache line or more.
  const int64_t grain = nest.shape[axis] >= 64 * parts ? 64 : 1;
  const int64_t units = (nest.shape[axis] + grain - 1) / grain;
  const int64_t begin = std::min(nest.shape[axis], units * part / parts * grain);
  const int64_t end = std::min(nest.shape[axis], units * (part + 1) / parts * grain);
  Advance(slice, axis, begin);
  slice.shape[axis] = end - begin;
  return slice;
}

void ForEachRunInOrder(const LoopNest& nest, RunFn run) {
  if (nest.size() == 0) return;
  LoopNest walk = nest;
  RunAround(walk, run);
}

void ForEachRun(const LoopNest& nest, RunFn run) {
  if (nest.size() == 0) return;
  if (nest.rank == 1) return run(nest.pointers, nest.strides[0], nest.shape[0]);
  LoopNest walk = nest;
  const int axis = RunAxis(nest);
  if (axis == 0) return RunAround(walk, run);
  SwapAxes(walk, 0, axis);
  // The former innermost axis goes directly around the blocks.
  for (int i = axis; i > 1; --i) SwapAxes(walk, i, i - 1);
  const int64_t length = walk.shape[0];
  for (int64_t begin = 0; begin < length; begin += kBlockElements) {
    LoopNest block = walk;
    Advance(block, 0, begin);
    block.shape[0] = std::min(kBlockElements, length - begin);
    RunAround(block, run);
  }
}

void ForEachRows(const LoopNest& nest, RunRowsFn run) {
  if (nest.size() == 0 || RunAxis(nest) == 0) return ForEachRowsInOrder(nest, run);
  ForEachRun(nest, [&](char* const* pointers, const int64_t* strides, int64_t n) {
    run(pointers, strides, n, strides, 1);
  });
}

void ForEachRowsInOrder(const LoopNest& nest, RunRowsFn run) {
  if (nest.size() == 0) return;
  if (nest.rank == 1) return run(nest.pointers, nest.strides[0], nest.shape[0], nest.strides[0], 1);
  LoopNest walk = nest;
  WalkAxes(walk, 2, [&] {
    run(walk.pointers, walk.strides[0], walk.shape[0], walk.strides[1], walk.shape[1]);
  });
}

}  // namespace dynacc::executor
