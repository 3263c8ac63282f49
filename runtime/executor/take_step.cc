#include "runtime/executor/take_step.h"

#include <atomic>

#include "runtime/base/status_macros.h"
#include "runtime/cpu/loops/take_kernels.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/launch_step.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc {
namespace {

// Rough nanoseconds an element, and a byte of it.
constexpr double kCostInCache = 0.7;
constexpr double kCostInMemory = 4;
constexpr double kCostOfByte = 0.05;

// Arrays that the second-level cache does not hold.
constexpr int64_t kLargeBytes = 1 << 20;

}  // namespace

absl::Status TakeStep::Run(RunFrame& frame) const {
  if (frame.IsFull(source_.buffer) || frame.IsFull(index_.buffer)) return host_->Run(frame);
  StridedView source_storage, index_storage;
  const StridedView& source = frame.Resolve(source_, source_storage);
  const StridedView& index = frame.Resolve(index_, index_storage);
  const bool has_rows = source.rank > 0 && index.rank > 0 && (!take_.is_flat || source.rank == 1);
  const bool fits = has_rows && IsContiguous(source) && IsContiguous(index);
  return fits ? Take(source, index, frame) : host_->Run(frame);
}

absl::Status TakeStep::Take(const StridedView& source, const StridedView& index,
                            RunFrame& frame) const {
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  const StridedView& out = frame.view(output_);
  const int64_t count = index.size();
  int64_t row = ItemSize(source.dtype);
  for (int axis = 1; axis < source.rank; ++axis) row *= source.shape[axis];
  frame.CountLaunch(count * (row + 8), count * row);
  if (out.size() == 0) return absl::OkStatus();
  StridedView rows = out;
  ScratchBlock apart;
  if (!IsContiguous(out)) {
    if (!apart.Allocate(count * row)) return absl::ResourceExhaustedError("no memory for rows");
    rows.data = apart.data();
    SetContiguousStrides(rows);
  }
  const bool is_large = source.shape[0] * row > kLargeBytes;
  const double cost =
      (is_large ? kCostInMemory : kCostInCache) + kCostOfByte * static_cast<double>(row);
  const int parts = PartsFor(count, cost);
  const auto* const indices = reinterpret_cast<const int64_t*>(index.data);
  std::atomic<bool> is_beyond = false;
  ParallelFor(parts, [&](int part) {
    const int64_t begin = count * part / parts, end = count * (part + 1) / parts;
    const bool fits =
        TakeFnsOfThisMachine().take(source.data, source.shape[0], row, indices + begin, end - begin,
                                    rows.data + begin * row, is_large);
    if (!fits) is_beyond = true;
  });
  if (is_beyond) return absl::AbortedError("an index beyond the array");
  if (apart.data() != nullptr) CopyElements(rows, out);
  return absl::OkStatus();
}

}  // namespace dynacc
