#include "runtime/executor/row_packing.h"

#include <algorithm>

#include "runtime/cpu/loops/move_kernels.h"

namespace dynacc::executor {
namespace {

// Of the copies, which stay in the first-level cache. With kMaxOperands of the widest elements
// there is room for rows of kShortRun.
constexpr int64_t kPackedBytes = 32 << 10;
constexpr int64_t kMostElements = 1024;  // of a run
constexpr int64_t kLine = 64;            // copies begin with a cache line

static_assert(kMaxOperands * (kShortRun * kMaxItemSize + kLine) <= kPackedBytes);

// Whether operand k is walked evenly, in the nest's order.
bool IsEven(const LoopNest& nest, int k) {
  for (int axis = 0; axis + 1 < nest.rank; ++axis) {
    if (nest.strides[axis + 1][k] != nest.strides[axis][k] * nest.shape[axis]) return false;
  }
  return true;
}

class RowPacker {
 public:
  RowPacker(const LoopNest& nest, absl::Span<const DType> inputs, RunFn run)
      : length_(nest.shape[0]), num_operands_(nest.num_operands), run_(run) {
    std::copy_n(nest.strides[0], num_operands_, strides_);
    std::copy_n(nest.strides[0], num_operands_, packed_strides_);
    int64_t item_bytes = 0;
    for (size_t k = 0; k < inputs.size(); ++k) {
      const int operand = static_cast<int>(k);
      if (IsEven(nest, operand)) continue;
      packed_[num_packed_++] = operand;
      packed_strides_[operand] = ItemSize(inputs[k]);
      item_bytes += packed_strides_[operand];
    }
    most_ = kMostElements;
    if (item_bytes > 0) {
      most_ = std::min(most_, (kPackedBytes - num_packed_ * kLine) / item_bytes);
    }
    PlaceCopies();
  }

  // Rows that follow those added before.
  void Add(char* const* pointers, const int64_t* row_strides, int64_t rows) {
    for (int64_t row = 0; row < rows;) {
      if (filled_ == 0) Start(pointers, row_strides, row);
      const int64_t some = std::min((most_ - filled_) / length_, rows - row);
      for (int i = 0; i < num_packed_; ++i) {
        const int k = packed_[i];
        const int64_t size = packed_strides_[k];
        moves_.gather_rows[cpu::SizeClass(size)](starts_[k] + filled_ * size,
                                                 pointers[k] + row * row_strides[k],
                                                 {strides_[k], length_, row_strides[k], some});
      }
      filled_ += some * length_;
      row += some;
      if (filled_ + length_ > most_) Flush();
    }
  }

  void Flush() {
    if (filled_ > 0) run_(starts_, packed_strides_, filled_);
    filled_ = 0;
  }

 private:
  void PlaceCopies() {
    char* at = memory_;
    for (int i = 0; i < num_packed_; ++i) {
      starts_[packed_[i]] = at;
      at += (most_ * packed_strides_[packed_[i]] + kLine - 1) & -kLine;
    }
  }

  // What is not packed is read and written where it lies.
  void Start(char* const* pointers, const int64_t* row_strides, int64_t row) {
    for (int k = 0, i = 0; k < num_operands_; ++k) {
      if (i < num_packed_ && packed_[i] == k) {
        ++i;
      } else {
        starts_[k] = pointers[k] + row * row_strides[k];
      }
    }
  }

  const cpu::MoveFns& moves_ = cpu::MoveFnsOfThisMachine();
  const int64_t length_;
  const int num_operands_;
  const RunFn run_;
  int64_t strides_[kMaxOperands];
  int64_t packed_strides_[kMaxOperands];
  int packed_[kMaxOperands];  // in order
  int num_packed_ = 0;
  int64_t most_;
  int64_t filled_ = 0;
  char* starts_[kMaxOperands];
  alignas(kLine) char memory_[kPackedBytes];
};

}  // namespace

bool CanPackRows(const LoopNest& nest, int num_inputs) {
  if (nest.rank < 2 || nest.shape[0] >= kShortRun || nest.size() == 0) return false;
  for (int k = num_inputs; k < nest.num_operands; ++k) {
    if (!IsEven(nest, k)) return false;
  }
  return true;
}

void ForEachPackedRun(const LoopNest& nest, absl::Span<const DType> inputs, RunFn run) {
  RowPacker packer(nest, inputs, run);
  ForEachRowsInOrder(
      nest, [&packer](char* const* pointers, const int64_t*, int64_t, const int64_t* row_strides,
                      int64_t rows) { packer.Add(pointers, row_strides, rows); });
  packer.Flush();
}

}  // namespace dynacc::executor
