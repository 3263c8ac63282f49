#include "runtime/executor/call_steps.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "boost/container/small_vector.hpp"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loops/compress_kernels.h"
#include "runtime/cpu/loops/take_kernels.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/launch_step.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::executor {

namespace {

// Rough nanoseconds an element.
constexpr double kScanCost = 0.8;

template <typename T>
struct Sum {
  using Element = T;
  static T Apply(T a, T b) { return a + b; }
};
template <typename T>
struct Product {
  using Element = T;
  static T Apply(T a, T b) { return a * b; }
};

template <typename F>
void Scan(const char* from, char* to, int64_t outer, int64_t length, int64_t inner) {
  using T = typename F::Element;
  const auto* x = reinterpret_cast<const T*>(from);
  auto* y = reinterpret_cast<T*>(to);
  for (int64_t block = 0; block < outer; ++block, x += length * inner, y += length * inner) {
    if (inner == 1) {
      T sum = x[0];
      y[0] = sum;
      for (int64_t i = 1; i < length; ++i) y[i] = sum = F::Apply(sum, x[i]);
      continue;
    }
    std::memcpy(y, x, inner * sizeof(T));
    for (int64_t i = inner; i < length * inner; ++i) y[i] = F::Apply(y[i - inner], x[i]);
  }
}

}  // namespace

struct ScanStep::Row {
  DType dtype;
  ScanFn sum, product;
};

const ScanStep::Row* ScanStep::FindRow(DType dtype) {
  // Integers wrap around, which signed ones must not in C++.
  static constexpr Row kRows[] = {
      {DType::kFloat64, &Scan<Sum<double>>, &Scan<Product<double>>},
      {DType::kFloat32, &Scan<Sum<float>>, &Scan<Product<float>>},
      {DType::kInt64, &Scan<Sum<uint64_t>>, &Scan<Product<uint64_t>>},
      {DType::kUInt64, &Scan<Sum<uint64_t>>, &Scan<Product<uint64_t>>},
  };
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

bool CanScan(DType dtype) { return ScanStep::FindRow(dtype) != nullptr; }

ScanStep::ScanStep(ScanPlan plan, DType dtype, std::unique_ptr<const Step> host)
    : CallStep(plan.output, std::move(host)), plan_(std::move(plan)) {
  const Row* const row = FindRow(dtype);
  DYNACC_CHECK(row != nullptr) << "no loops for this dtype";
  scan_ = plan_.op == Op::kMultiply ? row->product : row->sum;
}

absl::Status ScanStep::Run(RunFrame& frame) const {
  if (frame.IsFull(plan_.source.buffer)) return host_->Run(frame);
  StridedView storage;
  const StridedView& source = frame.Resolve(plan_.source, storage);
  if (source.size() == 0 || !IsContiguous(source)) return host_->Run(frame);
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  const StridedView& out = frame.view(output_);
  const int64_t item = ItemSize(source.dtype);
  frame.CountLaunch(source.size() * item, source.size() * item);
  StridedView sums = out;
  ScratchBlock apart;
  if (!IsContiguous(out)) {
    if (!apart.Allocate(source.size() * item)) {
      return absl::ResourceExhaustedError("no memory for cumulative sums");
    }
    sums.data = apart.data();
    SetContiguousStrides(sums);
  }
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < plan_.axis; ++i) outer *= source.shape[i];
  for (int i = plan_.axis + 1; i < source.rank; ++i) inner *= source.shape[i];
  const int64_t length = source.shape[plan_.axis];
  const int parts = static_cast<int>(std::min<int64_t>(PartsFor(source.size(), kScanCost), outer));
  platform::ParallelFor(parts, [&](int part) {
    const int64_t begin = outer * part / parts, end = outer * (part + 1) / parts;
    const int64_t offset = begin * length * inner * item;
    scan_(source.data + offset, sums.data + offset, end - begin, length, inner);
  });
  if (apart.data() != nullptr) CopyElements(sums, out);
  return absl::OkStatus();
}

namespace {

// Rough nanoseconds an element.
constexpr double kExtremeCost = 0.1;

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
  const int parts =
      static_cast<int>(std::min<int64_t>(PartsFor(source.size(), kExtremeCost), rows));
  platform::ParallelFor(parts, [&](int part) {
    for (int64_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
      places[row] = find_(source.data + row * row_bytes, length);
    }
  });
  return absl::OkStatus();
}

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
  const bool fits = IsContiguous(source) && IsContiguous(index);
  return fits ? Take(source, index, frame) : host_->Run(frame);
}

absl::Status TakeStep::Beyond(int64_t size, absl::Span<const int64_t> indices,
                              const RunFrame& frame) const {
  const auto first =
      absl::c_find_if(indices, [&](int64_t index) { return index < -size || index >= size; });
  absl::Status status = BeyondArray(*first, size);
  if (frame.kind(index_.buffer) == BufferKind::kInput) {
    status.SetPayload(kInputPayload, absl::Cord(absl::StrCat(frame.index(index_.buffer))));
  }
  return status;
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
  platform::ParallelFor(parts, [&](int part) {
    const int64_t begin = count * part / parts, end = count * (part + 1) / parts;
    const bool fits =
        cpu::TakeFnsOfThisMachine().take(source.data, source.shape[0], row, indices + begin,
                                         end - begin, rows.data + begin * row, is_large);
    if (!fits) is_beyond = true;
  });
  if (is_beyond) return Beyond(source.shape[0], {indices, static_cast<size_t>(count)}, frame);
  if (apart.data() != nullptr) CopyElements(rows, out);
  return absl::OkStatus();
}

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
  const cpu::CompressFns& fns = cpu::CompressFnsOfThisMachine();
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

absl::Status IntStep::Run(RunFrame& frame) const {
  boost::container::small_vector<StridedView, 2> operands;
  for (const OperandPlan& operand : operands_) {
    StridedView storage;
    operands.push_back(frame.Resolve(operand, storage));
  }
  ElementCell number;
  if (!ComputeInt(operation_, operands, result_, number.bytes)) return host_->Run(frame);
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  const int64_t bytes = ItemSize(result_);
  std::memcpy(frame.view(output_).data, number.bytes, bytes);
  frame.CountLaunch(bytes * static_cast<int64_t>(operands_.size()), bytes);
  return absl::OkStatus();
}

}  // namespace dynacc::executor
