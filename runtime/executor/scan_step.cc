#include "runtime/executor/scan_step.h"

#include <cstring>

#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/launch_step.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc {
namespace {

// Rough nanoseconds an element.
constexpr double kCost = 0.8;

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

ScanStep::ScanStep(bool multiplies, DType dtype, OperandPlan source, int axis, int output,
                   std::unique_ptr<const Step> host)
    : source_(std::move(source)), axis_(axis), output_(output), host_(std::move(host)) {
  const Row* const row = FindRow(dtype);
  DYNACC_CHECK(row != nullptr) << "no loops for this dtype";
  scan_ = multiplies ? row->product : row->sum;
}

absl::Status ScanStep::Run(RunFrame& frame) const {
  if (frame.IsFull(source_.buffer)) return host_->Run(frame);
  StridedView storage;
  const StridedView& source = frame.Resolve(source_, storage);
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
  for (int i = 0; i < axis_; ++i) outer *= source.shape[i];
  for (int i = axis_ + 1; i < source.rank; ++i) inner *= source.shape[i];
  const int64_t length = source.shape[axis_];
  const int parts = static_cast<int>(std::min<int64_t>(PartsFor(source.size(), kCost), outer));
  ParallelFor(parts, [&](int part) {
    const int64_t begin = outer * part / parts, end = outer * (part + 1) / parts;
    const int64_t offset = begin * length * inner * item;
    scan_(source.data + offset, sums.data + offset, end - begin, length, inner);
  });
  if (apart.data() != nullptr) CopyElements(sums, out);
  return absl::OkStatus();
}

}  // namespace dynacc
