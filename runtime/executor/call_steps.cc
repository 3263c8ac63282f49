#include "runtime/executor/call_steps.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "absl/algorithm/container.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loops/compress_kernels.h"
#include "runtime/cpu/loops/take_kernels.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/launch_step.h"
#include "runtime/platform/thread_pool.h"
#include "runtime/tensor/element_types.h"

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

ScanStep::ScanStep(bool multiplies, DType dtype, OperandPlan source, int axis, int output,
                   std::unique_ptr<const Step> host)
    : CallStep(output, std::move(host)), source_(std::move(source)), axis_(axis) {
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
  platform::ParallelFor(parts, [&](int part) {
    const int64_t begin = count * part / parts, end = count * (part + 1) / parts;
    const bool fits =
        cpu::TakeFnsOfThisMachine().take(source.data, source.shape[0], row, indices + begin,
                                         end - begin, rows.data + begin * row, is_large);
    if (!fits) is_beyond = true;
  });
  if (is_beyond) return absl::AbortedError("an index beyond the array");
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

namespace {

// Holds every int of 64 bits, with or without sign, and what is made of two by one operation but
// products.
__extension__ using Wide = __int128;
using Result = std::optional<Wide>;

constexpr int kMaxShift = 63;

Result Multiplied(Wide a, Wide b) {
  Wide product;
  return __builtin_mul_overflow(a, b, &product) ? Result() : product;
}

// Rounded down, as Python has it.
Result Quotient(Wide a, Wide b) {
  if (b == 0) return std::nullopt;
  return a / b - Wide{a % b != 0 && (a < 0) != (b < 0)};
}

// With the divisor's sign.
Result Remainder(Wide a, Wide b) {
  if (b == 0) return std::nullopt;
  const Wide rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Result Power(Wide base, Wide exponent) {
  if (exponent < 0) return std::nullopt;
  Result power = 1, square = base;
  for (; exponent != 0; exponent >>= 1) {
    if (!square) return std::nullopt;
    if ((exponent & 1) != 0) power = Multiplied(*power, *square);
    if (!power) return std::nullopt;
    square = Multiplied(*square, *square);
  }
  return power;
}

Result ShiftedLeft(Wide a, Wide b) {
  if (b < 0 || b > kMaxShift) return std::nullopt;
  return Multiplied(a, Wide{1} << static_cast<int>(b));
}

Result ShiftedRight(Wide a, Wide b) {
  if (b < 0 || b > kMaxShift) return std::nullopt;
  return a >> static_cast<int>(b);
}

using Compute = Result (*)(Wide a, Wide b);
constexpr Compute kCompute[] = {
#define DYNACC_INT_OPERATOR(Name, name, operands, result) \
  [](Wide a, [[maybe_unused]] Wide b) -> Result { return result; },
#include "runtime/executor/int_operators.def"
#undef DYNACC_INT_OPERATOR
};

// What a dtype of ints can do: read an element, tell whether it holds a number, and write one.
struct IntAccess {
  Wide (*read)(const char* element) = nullptr;
  bool (*holds)(Wide number) = nullptr;
  void (*write)(Wide number, char* element) = nullptr;
};

// A byte of a bool may be any number that views of other dtypes have put there.
template <typename T>
Wide Read(const char* element) {
  if constexpr (std::is_same_v<T, bool>) return Wide{*element != 0};
  return Wide{*reinterpret_cast<const T*>(element)};
}

template <typename T>
constexpr IntAccess AccessOf() {
  if constexpr (!std::is_integral_v<T>) {
    return {};
  } else {
    return {&Read<T>,
            [](Wide number) {
              return number >= std::numeric_limits<T>::min() &&
                     number <= std::numeric_limits<T>::max();
            },
            [](Wide number, char* element) {
              *reinterpret_cast<T*>(element) = static_cast<T>(number);
            }};
  }
}

constexpr IntAccess kAccess[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) AccessOf<type>(),
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

const IntAccess& AccessFor(DType dtype) { return kAccess[static_cast<int>(dtype)]; }

}  // namespace

bool IntStep::Does(const IntOperationCall& operation, const std::vector<DType>& operands,
                   DType result) {
  const bool fits = absl::c_all_of(operation.arguments, [&](const auto& argument) {
    return argument.operand < static_cast<int>(operands.size());
  });
  return fits && IsInteger(result) &&
         absl::c_all_of(operands, [](DType dtype) { return AccessFor(dtype).read != nullptr; });
}

absl::Status IntStep::Run(RunFrame& frame) const {
  const IntAccess& result = AccessFor(result_);
  Wide numbers[2] = {};
  Wide* next = numbers;
  for (const IntOperationCall::Argument& argument : operation_.arguments) {
    *next = argument.number;
    if (argument.operand >= 0) {
      StridedView storage;
      const StridedView& view = frame.Resolve(operands_[argument.operand], storage);
      *next = AccessFor(dtypes_[argument.operand]).read(view.data);
    }
    if (!result.holds(*next++)) return host_->Run(frame);
  }
  const Result number = kCompute[static_cast<int>(operation_.op)](numbers[0], numbers[1]);
  if (!number || !result.holds(*number)) return host_->Run(frame);
  DYNACC_RETURN_IF_ERROR(frame.Allocate(output_));
  result.write(*number, frame.view(output_).data);
  const int64_t bytes = ItemSize(result_);
  frame.CountLaunch(bytes * static_cast<int64_t>(operands_.size()), bytes);
  return absl::OkStatus();
}

}  // namespace dynacc::executor
