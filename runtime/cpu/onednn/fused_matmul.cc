#include "runtime/cpu/onednn/fused_matmul.h"

#include <algorithm>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/cpu/onednn/primitive.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::cpu {

#ifdef DYNACC_HAS_ONEDNN

namespace {

// Multiplications in a part that is worth a thread: some 50 us, as much as waking one takes.
constexpr double kPartWork = 4e6;

// Parts of rows begin at multiples of this many, so that only the last tiles are cut.
constexpr int64_t kGrain = 16;

int64_t RoundUp(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }
int64_t DivideUp(int64_t n, int64_t by) { return (n + by - 1) / by; }

// Products, or rows of a single one, that a part has.
int64_t PartExtent(const FusedMatmul& p) {
  const double work = static_cast<double>(p.stack) * static_cast<double>(p.rows) *
                      static_cast<double>(p.inner) * static_cast<double>(p.columns);
  const auto threads =
      static_cast<int64_t>(std::clamp<double>(work / kPartWork, 1, platform::ThreadCount()));
  if (p.stack > 1) return DivideUp(p.stack, threads);
  const int64_t parts = std::max(DivideUp(p.rows, kPartRows), threads);
  return std::min(p.rows, RoundUp(DivideUp(p.rows, parts), kGrain));
}

void Advance(const char*& data, int64_t elements, DType dtype) {
  data += elements * ItemSize(dtype);
}

// The matrices, or rows, [first, first + count) of a product, with the epilogue's arrays of its
// own.
class Part {
 public:
  Part(const FusedMatmul& whole, int64_t first, int64_t count)
      : product_(whole), epilogue_(whole.epilogue.begin(), whole.epilogue.end()) {
    const bool is_stack = whole.stack > 1;
    (is_stack ? product_.stack : product_.rows) = count;
    Advance(product_.a.data, first * (is_stack ? whole.a.stride : whole.a.row), whole.operands);
    if (is_stack) Advance(product_.b.data, first * whole.b.stride, whole.operands);
    const int64_t before = first * whole.columns * (is_stack ? whole.rows : 1);
    product_.c += before * ItemSize(whole.dtype);
    for (FusedMatmulStep& step : epilogue_) {
      if (step.data != nullptr && !step.is_row) Advance(step.data, before, whole.dtype);
    }
  }

  FusedMatmul product() const {
    FusedMatmul product = product_;
    product.epilogue = epilogue_;
    return product;
  }

 private:
  FusedMatmul product_;
  std::vector<FusedMatmulStep> epilogue_;
};

std::vector<Part> Split(const FusedMatmul& product) {
  const int64_t extent = product.stack > 1 ? product.stack : product.rows;
  const int64_t step = PartExtent(product);
  std::vector<Part> parts;
  for (int64_t first = 0; first < extent; first += step) {
    parts.emplace_back(product, first, std::min(step, extent - first));
  }
  return parts;
}

// Asked of a product of a common size.
bool HasFastCode(DType operands) {
  if (!OneDnnStatus().ok()) return false;
  constexpr int64_t kSize = 64;
  FusedMatmul product;
  product.operands = operands;
  product.rows = product.inner = product.columns = kSize;
  product.a = product.b = {nullptr, 0, kSize, 1};
  return FindPrimitive(product).ok();
}

}  // namespace

bool HasFusedMatmuls(DType operands) {
  static const bool of_floats = HasFastCode(DType::kFloat32);
  static const bool of_bfloats = of_floats && HasFastCode(DType::kBFloat16);
  return operands == DType::kBFloat16 ? of_bfloats : operands == DType::kFloat32 && of_floats;
}

absl::Status MultiplyFused(const FusedMatmul& product) {
  const std::vector<Part> parts = Split(product);
  // All but the last are of one shape.
  DYNACC_ASSIGN_OR_RETURN(const auto whole, FindPrimitive(parts.front().product()));
  DYNACC_ASSIGN_OR_RETURN(const auto last, FindPrimitive(parts.back().product()));
  if (parts.size() == 1) return whole->Run(product);
  absl::Mutex mutex;
  absl::Status status;
  platform::ParallelFor(static_cast<int>(parts.size()), [&](int i) {
    const bool is_last = i + 1 == static_cast<int>(parts.size());
    absl::Status done = (is_last ? last : whole)->Run(parts[i].product());
    if (done.ok()) return;
    const absl::MutexLock lock(&mutex);
    status = std::move(done);
  });
  return status;
}

#else  // without oneDNN

bool HasFusedMatmuls(DType) { return false; }
absl::Status MultiplyFused(const FusedMatmul&) { return OneDnnStatus(); }
int64_t FusedMatmulsPrepared() { return 0; }

#endif  // DYNACC_HAS_ONEDNN

}  // namespace dynacc::cpu
