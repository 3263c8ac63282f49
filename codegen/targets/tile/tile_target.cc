#include "codegen/targets/tile/tile_target.h"

#include "runtime/base/status_macros.h"
#include "runtime/cpu/tiles/tile_kernel.h"

namespace dynacc::tile {
namespace {

class TileTargetImpl : public targets::Target {
 public:
  absl::string_view name() const override { return "tile"; }

  absl::StatusOr<std::vector<std::shared_ptr<const kernel::CompiledKernel>>> CompileKernels(
      absl::Span<const kernel::Kernel> kernels) const override {
    std::vector<std::shared_ptr<const kernel::CompiledKernel>> compiled;
    for (const kernel::Kernel& kernel : kernels) {
      DYNACC_ASSIGN_OR_RETURN(auto tile, cpu::TileKernel::Make(kernel));
      compiled.push_back(std::move(tile));
    }
    return compiled;
  }
};

}  // namespace

const targets::Target* TileTarget() {
  static const auto& target = *new TileTargetImpl;
  return &target;
}

}  // namespace dynacc::tile
