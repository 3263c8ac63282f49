#include "runtime/executor/arg_extreme_step.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/executor/launch_step.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc {
namespace {

// Rough nanoseconds an element.
constexpr double kCost = 0.1;

}  // namespace

absl::Status ArgExtremeStep::Run(RunFrame& frame) const {
  if (frame.IsFull(source_.buffer)) return host_->Run(frame);
  StridedView storage;
  const StridedView& source = frame.Resolve(source_, storage);
  if (source.size() == 0 || !IsContiguous(source)) return host_->Run(frame);
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  const StridedView& out = frame.view(output_);
  if (!IsContiguous(out)) return host_->Run(frame);  // a part of a joined array, allocated before
  int64_t length = 1;
  for (int axis = source.rank - row_axes_; axis < source.rank; ++axis) {
    length *= source.shape[axis];
  }
  const int64_t rows = source.size() / length, row_bytes = length * ItemSize(source.dtype);
  frame.CountLaunch(rows * row_bytes, rows * static_cast<int64_t>(sizeof(int64_t)));
  auto* const places = reinterpret_cast<int64_t*>(out.data);
  const int parts = static_cast<int>(std::min<int64_t>(PartsFor(source.size(), kCost), rows));
  ParallelFor(parts, [&](int part) {
    for (int64_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
      places[row] = find_(source.data + row * row_bytes, length);
    }
  });
  return absl::OkStatus();
}

}  // namespace dynacc
