#include "runtime/cpu/loops/row_sum.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/algorithm/container.h"
#include "runtime/cpu/loops/reduce_levels.h"
#include "runtime/cpu/loops/trusted_loop.h"

namespace dynacc::cpu {
namespace {

constexpr int64_t kTriedLengths[] = {1, 2, 3, 4, 5, 7, 8, 17, 40};
constexpr int64_t kLongest = 40;

// Numbers, and NaNs of both signs.
template <typename T>
std::array<T, 2 * kLongest> TriedRows() {
  std::array<T, 2 * kLongest> numbers;
  for (int64_t i = 0; i < 2 * kLongest; ++i) {
    const bool is_nan = i % 3 == 0 || (i > kLongest && i % 2 == 0);
    const T number = is_nan ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(i) / 3;
    numbers[i] = i % 4 < 2 ? number : -number;
  }
  return numbers;
}

// Whether two rows are added to zeros as the library's loop adds them.
template <typename T>
bool GivesBitsOf(SumRowsFn sum_rows, const kernel::LibraryLoop& loop) {
  std::array<T, 2 * kLongest> rows = TriedRows<T>();
  return absl::c_all_of(kTriedLengths, [&](int64_t n) {
    T ours[kLongest] = {}, library[kLongest] = {};
    char* const data = reinterpret_cast<char*>(rows.data());
    const int64_t row_stride = kLongest * sizeof(T);
    sum_rows(data, row_stride, 2, n, reinterpret_cast<char*>(ours));
    for (int row = 0; row < 2; ++row) {
      char* const acc = reinterpret_cast<char*>(library);
      char* args[] = {acc, data + row * row_stride, acc};
      const intptr_t count = n;
      const intptr_t steps[] = {sizeof(T), sizeof(T), sizeof(T)};
      loop.fn(args, &count, steps, loop.data);
    }
    return std::memcmp(ours, library, n * sizeof(T)) == 0;
  });
}

template <typename T>
bool IsUsable(SumRowsFn sum_rows, const kernel::LibraryLoop& loop) {
  return HasBitsOf(loop, [sum_rows](const kernel::LibraryLoop& tried) {
    return GivesBitsOf<T>(sum_rows, tried);
  });
}

}  // namespace

SumRowsFn FindSumRows(DType dtype, const kernel::LibraryLoop& loop) {
  const FnsByType<SumRowsFn>& fns = ReduceFnsOfThisMachine().sum_rows;
  if (dtype == DType::kFloat64 && IsUsable<double>(fns.float64, loop)) return fns.float64;
  if (dtype == DType::kFloat32 && IsUsable<float>(fns.float32, loop)) return fns.float32;
  return nullptr;
}

}  // namespace dynacc::cpu
