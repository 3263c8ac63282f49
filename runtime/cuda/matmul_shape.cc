#include "runtime/cuda/matmul_shape.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/executor/loop_nest.h"

namespace dynacc::cuda {
namespace {

// More is of no use to a kernel, and a LaunchList is given again for inputs that are alike
// modulo 16.
constexpr int kMaxAlignment = 16;

// How the last two axes lie.
struct Lines {
  bool by_rows = true;  // neighbours of a row lie side by side; or else those of a column
  int64_t leading = 1;  // elements from one row to the next, or from one column to the next
};

// `count` lines of `length` elements, `step` bytes apart, whose elements are `across` bytes apart.
std::optional<int64_t> LeadingOf(int64_t count, int64_t length, int64_t step, int64_t across,
                                 int item) {
  if (across != item && length != 1) return std::nullopt;
  if (count == 1) return length;
  if (step % item != 0 || step / item < length) return std::nullopt;
  return step / item;
}

std::optional<Lines> LinesOf(const StridedView& view) {
  const int item = ItemSize(view.dtype);
  const int64_t* const shape = view.shape + view.rank - 2;
  const int64_t* const strides = view.strides + view.rank - 2;
  if (const auto found = LeadingOf(shape[0], shape[1], strides[0], strides[1], item)) {
    return Lines{true, *found};
  }
  if (const auto found = LeadingOf(shape[1], shape[0], strides[1], strides[0], item)) {
    return Lines{false, *found};
  }
  return std::nullopt;
}

bool HasLibraryMatmul(DType dtype) { return IsInexact(dtype) && !IsLowPrecision(dtype); }

int AlignmentOf(const char* address) {
  const auto bits = reinterpret_cast<uint64_t>(address) | kMaxAlignment;
  return static_cast<int>(bits & (~bits + 1));
}

// What the leading axes are together: `count` places, and the elements between them.
struct Batch {
  int64_t count = 1;
  int64_t a = 0, b = 0, out = 0;
};

// The strides of an operand's leading axes, by the result's axes.
void AddLeading(const StridedView& operand, int leading, executor::LoopNest& nest) {
  int64_t strides[kMaxRank] = {};
  for (int i = 0; i < leading; ++i) {
    const int axis = operand.rank - 2 - leading + i;
    if (axis >= 0 && operand.shape[axis] != 1) strides[i] = operand.strides[axis];
  }
  executor::AddOperand(nest, operand.data, strides);
}

std::optional<Batch> BatchOf(const StridedView& a, const StridedView& b, const StridedView& out) {
  executor::LoopNest nest;
  executor::StartNest(nest, out.rank - 2, out.shape);
  for (const StridedView* operand : {&a, &b, &out}) AddLeading(*operand, out.rank - 2, nest);
  executor::OptimizeNest(nest);
  Batch batch;
  if (nest.size() == 1) return batch;
  if (nest.rank != 1 || nest.shape[0] > std::numeric_limits<int32_t>::max()) return std::nullopt;
  const int item = ItemSize(out.dtype);
  for (int i = 0; i < 3; ++i) {
    if (nest.strides[0][i] < 0 || nest.strides[0][i] % item != 0) return std::nullopt;
  }
  batch.count = nest.shape[0];
  batch.a = nest.strides[0][0] / item;
  batch.b = nest.strides[0][1] / item;
  batch.out = nest.strides[0][2] / item;
  return batch;
}

}  // namespace

std::optional<CublasLtCall> AsCublasLtCall(const StridedView& a, const StridedView& b,
                                           const StridedView& out) {
  if (!HasLibraryMatmul(out.dtype) || out.size() == 0 || a.shape[a.rank - 1] == 0) {
    return std::nullopt;
  }
  const auto of_a = LinesOf(a), of_b = LinesOf(b), of_out = LinesOf(out);
  std::optional<Batch> batch = BatchOf(a, b, out);
  if (!of_a || !of_b || !of_out || !batch) return std::nullopt;
  int64_t m = out.shape[out.rank - 2];
  const int64_t n = out.shape[out.rank - 1];
  const bool all_rows = batch->count > 1 && batch->b == 0 && of_a->by_rows && of_out->by_rows &&
                        batch->a == m * of_a->leading && batch->out == m * of_out->leading;
  if (all_rows) m *= std::exchange(batch->count, 1);

  CublasLtCall call;
  MatmulShape& shape = call.shape;
  shape.dtype = out.dtype;
  shape.batch = batch->count;
  shape.depth = a.shape[a.rank - 1];
  const bool swap = of_out->by_rows;
  shape.rows = swap ? n : m;
  shape.columns = swap ? m : n;
  const MatmulShape::Matrix in_a = {of_a->by_rows != swap, of_a->leading, batch->a,
                                    AlignmentOf(a.data)};
  const MatmulShape::Matrix in_b = {of_b->by_rows != swap, of_b->leading, batch->b,
                                    AlignmentOf(b.data)};
  shape.first = swap ? in_b : in_a;
  shape.second = swap ? in_a : in_b;
  shape.out = {false, of_out->leading, batch->out, AlignmentOf(out.data)};
  call.first = swap ? b.data : a.data;
  call.second = swap ? a.data : b.data;
  call.out = out.data;
  return call;
}

}  // namespace dynacc::cuda
