#include "runtime/products/product_kernels.h"

#include "runtime/device/cpu_level.h"

namespace dynacc {
namespace {

const ProductKernels& KernelsFor(absl::string_view level) {
  if (level == "x86-64-v4") return kProductKernelsV4;
  if (level == "x86-64-v3") return kProductKernelsV3;
  return kProductKernelsV2;
}

}  // namespace

const ProductKernels* BestProductKernels() {
  static const ProductKernels* const best = []() -> const ProductKernels* {
    const auto levels = LevelsOfThisMachine();
    if (levels.empty()) return nullptr;
    const std::string& wanted = KernelCpuLevel();
    return &KernelsFor(wanted.empty() ? levels.back() : absl::string_view(wanted));
  }();
  return best;
}

}  // namespace dynacc
