#include "runtime/executor/tiled_transpose.h"

#include <algorithm>
#include <memory>

#include "absl/functional/function_ref.h"
#include "runtime/cpu/loops/move_kernels.h"

namespace dynacc::executor {
namespace {

// Of blocks: bytes of an operand's lines, four of the cache's as pages are dear to find, and their
// number. Measured on arrays of 1000^2 to 4096^2: a fifth of the time of shorter lines.
constexpr int64_t kLineBytes = 256;
constexpr int64_t kLines = 256;

// Turned blocks have a gap after each row, lest rows meet in the same sets of the cache.
constexpr int64_t kRowGap = 64;

// Extents for which it pays.
constexpr int64_t kLeastRun = 16;
constexpr int64_t kLeastLine = 8;

// The axis along which operand k lies side by side while it does not along axis 0; 0 if none.
int AxisAcross(const LoopNest& nest, int k, int64_t size) {
  if (nest.strides[0][k] == size || nest.strides[0][k] == 0) return 0;
  for (int axis = 1; axis < nest.rank; ++axis) {
    if (nest.strides[axis][k] == size && nest.shape[axis] >= kLeastLine) return axis;
  }
  return 0;
}

// Puts `axis` next to the innermost one.
void BringNext(LoopNest& nest, int axis) {
  for (int i = axis; i > 1; --i) SwapAxes(nest, i, i - 1);
}

// Calls visit(pointers, rows, columns) for blocks, `most_rows` of axis 1 by kLines of axis 0, that
// cover the nest.
using VisitFn = absl::FunctionRef<void(char* const* pointers, int64_t rows, int64_t columns)>;
void ForEachBlock(const LoopNest& nest, int64_t most_rows, VisitFn visit) {
  LoopNest outer;
  outer.rank = 1;
  outer.shape[0] = 1;
  outer.num_operands = nest.num_operands;
  std::copy_n(nest.pointers, nest.num_operands, outer.pointers);
  std::fill_n(outer.strides[0], nest.num_operands, 0);
  for (int axis = 2; axis < nest.rank; ++axis, ++outer.rank) {
    outer.shape[axis - 1] = nest.shape[axis];
    std::copy_n(nest.strides[axis], nest.num_operands, outer.strides[axis - 1]);
  }
  ForEachRunInOrder(outer, [&](char* const* pointers, const int64_t*, int64_t) {
    char* at[kMaxOperands];
    for (int64_t row = 0; row < nest.shape[1]; row += most_rows) {
      for (int64_t column = 0; column < nest.shape[0]; column += kLines) {
        for (int k = 0; k < nest.num_operands; ++k) {
          at[k] = pointers[k] + row * nest.strides[1][k] + column * nest.strides[0][k];
        }
        visit(at, std::min(most_rows, nest.shape[1] - row),
              std::min(kLines, nest.shape[0] - column));
      }
    }
  });
}

// Runs a nest some of whose inputs lie along axis 1.
class TurnedRuns {
 public:
  TurnedRuns(const LoopNest& nest, absl::Span<const DType> inputs) : nest_(nest) {
    std::fill_n(sizes_, nest.num_operands, 0);
    int64_t widest = 1, turned = 0;
    for (size_t k = 0; k < inputs.size(); ++k) {
      const int64_t size = ItemSize(inputs[k]);
      if (nest.strides[0][k] == size || nest.strides[0][k] == 0) continue;
      if (nest.strides[1][k] != size) continue;
      sizes_[k] = size;
      widest = std::max(widest, size);
      ++turned;
    }
    rows_ = kLineBytes / widest;
    block_bytes_ = rows_ * (kLines * widest + kRowGap);
    is_one_run_ = CanBeOneRun();
    memory_.reset(new char[turned * block_bytes_]);
  }

  void Run(RunRowsFn run) {
    ForEachBlock(nest_, rows_, [&](char* const* pointers, int64_t rows, int64_t columns) {
      RunBlock(pointers, rows, columns, run);
    });
  }

 private:
  // Whether the rows of a block follow each other in all operands, if they do in turned ones.
  bool CanBeOneRun() const {
    for (int k = 0; k < nest_.num_operands; ++k) {
      if (sizes_[k] == 0 && nest_.strides[1][k] != nest_.strides[0][k] * nest_.shape[0]) {
        return false;
      }
    }
    return nest_.shape[0] <= kLines;
  }

  void RunBlock(char* const* pointers, int64_t rows, int64_t columns, RunRowsFn run) {
    char* at[kMaxOperands];
    int64_t strides[kMaxOperands], steps[kMaxOperands];
    char* block = memory_.get();
    for (int k = 0; k < nest_.num_operands; ++k) {
      at[k] = pointers[k];
      strides[k] = nest_.strides[0][k];
      steps[k] = nest_.strides[1][k];
      if (sizes_[k] == 0) continue;
      steps[k] = columns * sizes_[k] + (is_one_run_ ? 0 : kRowGap);
      const cpu::TransposeFn transpose =
          cpu::MoveFnsOfThisMachine().transpose[cpu::SizeClass(sizes_[k])];
      transpose(block, steps[k], pointers[k], strides[k], rows, columns);
      at[k] = block;
      strides[k] = sizes_[k];
      block += block_bytes_;
    }
    if (is_one_run_) return run(at, strides, rows * columns, steps, 1);
    run(at, strides, columns, steps, rows);
  }

  const LoopNest& nest_;
  int64_t sizes_[kMaxOperands];  // of the elements of those that are turned; 0: of the others
  int64_t rows_;                 // of a block
  int64_t block_bytes_;
  bool is_one_run_;
  std::unique_ptr<char[]> memory_;
};

}  // namespace

void ForEachRowsSideBySide(const LoopNest& nest, absl::Span<const DType> inputs, RunRowsFn run) {
  int axis = 0;
  if (nest.rank > 1 && nest.shape[0] >= kLeastRun && nest.size() > 0) {
    for (size_t k = 0; k < inputs.size() && axis == 0; ++k) {
      axis = AxisAcross(nest, static_cast<int>(k), ItemSize(inputs[k]));
    }
  }
  if (axis == 0) return ForEachRows(nest, run);
  LoopNest turned = nest;
  BringNext(turned, axis);
  TurnedRuns(turned, inputs).Run(run);
}

bool CopyAcross(const LoopNest& nest, int item_size) {
  if (nest.size() == 0 || nest.shape[0] < kLeastRun || nest.strides[0][1] != item_size)
    return false;
  const int axis = AxisAcross(nest, 0, item_size);
  if (axis == 0) return false;
  LoopNest turned = nest;
  BringNext(turned, axis);
  const cpu::TransposeFn transpose =
      cpu::MoveFnsOfThisMachine().transpose[cpu::SizeClass(item_size)];
  ForEachBlock(turned, kLineBytes / item_size,
               [&](char* const* pointers, int64_t rows, int64_t columns) {
                 transpose(pointers[1], turned.strides[1][1], pointers[0], turned.strides[0][0],
                           rows, columns);
               });
  return true;
}

}  // namespace dynacc::executor
