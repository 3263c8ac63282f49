#include "runtime/cpu/matmul/window_rows.h"

#include <algorithm>

namespace dynacc::cpu {
namespace {

// A run takes the product's inner loop anew, which a few factors are not worth.
constexpr int64_t kLeastRun = 3;

// The bytes from the first element to each of those of the axes [begin, end), in C order.
std::vector<int64_t> Offsets(const StridedView& view, int begin, int end) {
  std::vector<int64_t> offsets(1, 0);
  for (int axis = begin; axis < end; ++axis) {
    std::vector<int64_t> inside;
    inside.reserve(offsets.size() * view.shape[axis]);
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < view.shape[axis]; ++i) {
        inside.push_back(offset + i * view.strides[axis]);
      }
    }
    offsets = std::move(inside);
  }
  return offsets;
}

// The largest divisor of `run` that a block of factors has room for.
int64_t LargestRun(int64_t run) {
  int64_t pieces = (run + kMostRun - 1) / kMostRun;
  while (run % pieces != 0) ++pieces;
  return run / pieces;
}

}  // namespace

std::optional<WindowRows> WindowRows::Of(const StridedView& windows, int64_t inner) {
  int first = windows.rank;  // axis within a row
  int64_t factors = 1;
  while (first > 0 && factors < inner) factors *= windows.shape[--first];
  if (factors != inner || windows.size() == 0) return std::nullopt;
  // The last axes whose elements follow each other are one run.
  const int64_t item = ItemSize(windows.dtype);
  int end = windows.rank;
  int64_t together = 1;
  while (end > first &&
         (windows.shape[end - 1] == 1 || windows.strides[end - 1] == together * item)) {
    together *= windows.shape[--end];
  }
  WindowRows result;
  result.run_ = LargestRun(together);
  if (result.run_ < kLeastRun) return std::nullopt;
  for (const int64_t offset : Offsets(windows, first, end)) {
    for (int64_t i = 0; i < together; i += result.run_) {
      result.runs_.push_back(offset + i * item);
    }
  }
  result.rows_ = Offsets(windows, 0, first);
  result.data_ = windows.data;
  return result;
}

void WindowRows::SetLeft(Product& product) const {
  product.a = data_;
  product.a_rows = rows_.data();
  product.a_runs = runs_.data();
  product.run = run_;
}

}  // namespace dynacc::cpu
