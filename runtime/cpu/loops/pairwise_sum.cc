#include "runtime/cpu/loops/pairwise_sum.h"

#include <array>
#include <cstring>
#include <vector>

#include "absl/algorithm/container.h"
#include "runtime/cpu/loops/reduce_levels.h"
#include "runtime/cpu/loops/trusted_loop.h"

namespace dynacc::cpu {
namespace {

// Lengths whose sums tell NumPy's order from others: below, at and above its limits, and halves of
// all kinds.
constexpr int64_t kTriedLengths[] = {1,   2,   7,   8,   9,    17,   127,  128,
                                     129, 135, 257, 768, 1000, 1031, 4096, 8191};

// Numbers of very different sizes, so that another order of additions shows.
template <typename T>
std::vector<T> TriedNumbers() {
  std::vector<T> numbers(8192);
  uint64_t state = 1;
  for (T& number : numbers) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = static_cast<T>(static_cast<int64_t>(state)) / static_cast<T>(1 << (state >> 32 & 15));
  }
  return numbers;
}

template <typename T>
bool GivesBitsOf(SumRunsFn sum_runs, const kernel::LibraryLoop& loop) {
  const std::vector<T> numbers = TriedNumbers<T>();
  return absl::c_all_of(kTriedLengths, [&](int64_t n) {
    T ours = 0, library = 0;
    char* data = reinterpret_cast<char*>(const_cast<T*>(numbers.data()));
    sum_runs(data, 0, 1, n, reinterpret_cast<char*>(&ours), 0);
    char* args[] = {reinterpret_cast<char*>(&library), data, reinterpret_cast<char*>(&library)};
    const intptr_t count = n;
    const intptr_t steps[] = {0, sizeof(T), 0};
    loop.fn(args, &count, steps, loop.data);
    return std::memcmp(&ours, &library, sizeof(T)) == 0;
  });
}

template <typename T>
bool IsUsable(SumRunsFn sum_runs, const kernel::LibraryLoop& loop) {
  return HasBitsOf(loop, [sum_runs](const kernel::LibraryLoop& tried) {
    return GivesBitsOf<T>(sum_runs, tried);
  });
}

}  // namespace

SumRunsFn FindSumRuns(DType dtype, const kernel::LibraryLoop& loop) {
  if (IsInteger64(dtype)) return ReduceFnsOfThisMachine().sum_integers;
  const FnsByType<SumRunsFn>& fns = ReduceFnsOfThisMachine().sum;
  if (dtype == DType::kFloat64 && IsUsable<double>(fns.float64, loop)) return fns.float64;
  if (dtype == DType::kFloat32 && IsUsable<float>(fns.float32, loop)) return fns.float32;
  return nullptr;
}

}  // namespace dynacc::cpu
