#include "runtime/executor/compress_step.h"

#include <algorithm>

#include "runtime/base/status_macros.h"
#include "runtime/cpu/loops/compress_kernels.h"
#include "runtime/executor/copy_step.h"

namespace dynacc {
namespace {

// Whether the mask tells of each element, or of rows of the last axes.
bool IsMaskOf(const StridedView& source, const StridedView& mask) {
  return mask.rank > 0 && mask.rank <= source.rank &&
         std::equal(mask.shape, mask.shape + mask.rank, source.shape);
}

}  // namespace

absl::Status CompressStep::Run(RunFrame& frame) const {
  if (frame.IsFull(source_.buffer) || frame.IsFull(mask_.buffer)) return host_->Run(frame);
  StridedView source_storage, mask_storage;
  const StridedView& source = frame.Resolve(source_, source_storage);
  const StridedView& mask = frame.Resolve(mask_, mask_storage);
  const bool fits = IsMaskOf(source, mask) && IsContiguous(source) && IsContiguous(mask);
  return fits ? Compress(source, mask, frame) : host_->Run(frame);
}

absl::Status CompressStep::Compress(const StridedView& source, const StridedView& mask,
                                    RunFrame& frame) const {
  const CompressFns& fns = CompressFnsOfThisMachine();
  const auto* const bits = reinterpret_cast<const uint8_t*>(mask.data);
  const int64_t size = mask.size();
  const int64_t count = fns.count(bits, size);
  DYNACC_RETURN_IF_ERROR(frame.DefineSize(late_, count));
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  const StridedView& out = frame.view(output_);
  int64_t row = ItemSize(source.dtype);
  for (int axis = mask.rank; axis < source.rank; ++axis) row *= source.shape[axis];
  frame.CountLaunch(size + count * row, count * row);
  if (out.size() == 0) return absl::OkStatus();
  StridedView rows = out;
  ScratchBlock apart;
  if (!IsContiguous(out)) {
    if (!apart.Allocate(count * row)) return absl::ResourceExhaustedError("no memory for rows");
    rows.data = apart.data();
    SetContiguousStrides(rows);
  }
  fns.compress(source.data, bits, size, row, rows.data, count);
  if (apart.data() != nullptr) CopyElements(rows, out);
  return absl::OkStatus();
}

}  // namespace dynacc
