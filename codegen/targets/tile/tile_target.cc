#include "codegen/targets/tile/tile_target.h"

#include "runtime/base/status_macros.h"
#include "runtime/cpu/tiles/tile_kernel.h"

namespace dynacc {
namespace {

class TileTargetImpl : public Target {
 public:
  absl::string_view name() const override { return "tile"; }

  absl::StatusOr<std::vector<std::shared_ptr<const CompiledKernel>>> CompileKernels(
      absl::Span<const Kernel> kernels) const override {
    std::vector<std::shared_ptr<const CompiledKernel>> compiled;
    for (const Kernel& kernel : kernels) {
      DYNACC_ASSIGN_OR_RETURN(auto tile, TileKernel::Make(kernel));
      compiled.push_back(std::move(tile));
    }
    return compiled;
  }
};

}  // namespace

const Target* TileTarget() {
  static const auto& target = *new TileTargetImpl;
  return &target;
}

}  // namespace dynacc
