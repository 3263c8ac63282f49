#include "runtime/cpu/loader/loaded_kernel.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace dynacc::cpu {

absl::StatusOr<std::shared_ptr<const kernel::CompiledKernel>> LoadedKernel::Bind(
    const kernel::Kernel& kernel, int lanes, std::shared_ptr<const LoadedModule> module,
    std::vector<kernel::LibraryLoop> loops, std::string source) {
  if (module->object->FindFunction(kernel.name) == nullptr) {
    return absl::InternalError(absl::StrCat("no ", kernel.name, " in its module"));
  }
  return std::shared_ptr<const kernel::CompiledKernel>(
      new LoadedKernel(kernel, lanes, std::move(module), std::move(loops), std::move(source)));
}

LoadedKernel::LoadedKernel(const kernel::Kernel& kernel, int lanes,
                           std::shared_ptr<const LoadedModule> module,
                           std::vector<kernel::LibraryLoop> loops, std::string source)
    : module_(std::move(module)),
      function_(reinterpret_cast<TileFunction>(module_->object->FindFunction(kernel.name))),
      fold_(reinterpret_cast<FoldFunction>(
          module_->object->FindFunction(absl::StrCat(kernel.name, "_fold")))),
      code_(module_->object->FunctionCode(kernel.name)),
      tiles_(kernel, lanes),
      loops_(std::move(loops)),
      source_(std::move(source)) {}

void LoadedKernel::Run(char* const* pointers, const int64_t* strides, int64_t n) const {
  const kernel::KernelRows one = {1, strides, 0};
  tiles_.Run(function_, pointers, strides, n, one, loops_.data(), /*non_temporal=*/false);
}

void LoadedKernel::RunRows(char* const* pointers, const int64_t* strides, int64_t n,
                           const kernel::KernelRows& rows, bool non_temporal) const {
  tiles_.Run(function_, pointers, strides, n, rows, loops_.data(), non_temporal);
}

void LoadedKernel::Fold(char* const* pointers, const int64_t* strides,
                        const kernel::KernelRows& rows, absl::Span<const kernel::FoldBlock> blocks,
                        char* sums) const {
  tiles_.Fold(fold_, pointers, strides, rows, blocks, sums);
}

}  // namespace dynacc::cpu
