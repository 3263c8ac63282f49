#include "runtime/cpu/matmul/parallel_matmul.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "absl/cleanup/cleanup.h"
#include "runtime/platform/buffer_cache.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::cpu {
namespace {

// Multiplications in a part worth a thread: some 100 us of work, where waking one takes up to 50.
constexpr double kPartWork = 2e6;

// A block's edges lie at multiples of this many rows and columns, so that only last tiles are cut.
constexpr int64_t kGrain = 192;

int PartsFor(const Product& p) {
  const double work =
      static_cast<double>(p.rows) * static_cast<double>(p.inner) * static_cast<double>(p.columns);
  if (work < 2 * kPartWork) return 1;
  return static_cast<int>(std::min<double>(work / kPartWork, platform::ThreadCount()));
}

int64_t EdgeAt(int64_t size, int part, int parts) {
  const int64_t edge = size * part / parts;
  return part == parts || size < parts * kGrain ? edge : edge / kGrain * kGrain;
}

// How many blocks lie below each other, of `parts`, so that they are as square as may be.
int RowParts(const Product& p, int parts) {
  const double square = std::sqrt(static_cast<double>(parts) * static_cast<double>(p.rows) /
                                  static_cast<double>(p.columns));
  return static_cast<int>(std::clamp<double>(std::round(square), 1, parts));
}

bool MultiplyPart(OrderedMatmulKernels::Multiply multiply, const Product& p) {
  if (p.rows == 0 || p.columns == 0) return true;
  if (!p.HasRuns() && (p.rows == 1 || p.columns == 1 || IsTiny(p))) {
    multiply(p, nullptr);
    return true;
  }
  platform::BufferCache& cache = platform::BufferCache::Process();
  char* const scratch = static_cast<char*>(cache.Allocate(kProductScratchBytes));
  if (scratch == nullptr) return false;
  const absl::Cleanup free = [&] { cache.Free(scratch, kProductScratchBytes); };
  multiply(p, scratch);
  return true;
}

}  // namespace

bool MultiplyInParallel(OrderedMatmulKernels::Multiply multiply, const Product& p) {
  const int parts = PartsFor(p);
  if (parts == 1) return MultiplyPart(multiply, p);
  const int row_parts = RowParts(p, parts);
  const int column_parts = parts / row_parts;
  std::atomic<bool> done{true};
  platform::ParallelFor(row_parts * column_parts, [&](int part) {
    const int i = part / column_parts, j = part % column_parts;
    const int64_t row = EdgeAt(p.rows, i, row_parts);
    const int64_t column = EdgeAt(p.columns, j, column_parts);
    const Product block = PartOf(p, row, EdgeAt(p.rows, i + 1, row_parts) - row, column,
                                 EdgeAt(p.columns, j + 1, column_parts) - column);
    if (!MultiplyPart(multiply, block)) done = false;
  });
  return done;
}

}  // namespace dynacc::cpu
