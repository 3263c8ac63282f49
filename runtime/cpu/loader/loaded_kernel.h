// LoadedKernel: a compiled kernel whose code is an object that the loader made callable.
//
// The compiler's target makes them of what it has compiled or found in the cache, a program
// (runtime/program) of what is in its file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/cpu/loader/object_loader.h"
#include "runtime/cpu/tiles/tile_loop.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::cpu {

// Where the code of some kernels lies.
struct LoadedModule {
  std::unique_ptr<LoadedObject> object;
  std::string binary;  // what it was loaded from, or empty
};

class LoadedKernel : public kernel::CompiledKernel {
 public:
  // `lanes`: the elements of a vector in the module. `loops`: one for each library step, in order.
  // INTERNAL if the module has no function of the kernel's name.
  static absl::StatusOr<std::shared_ptr<const kernel::CompiledKernel>> Bind(
      const kernel::Kernel& kernel, int lanes, std::shared_ptr<const LoadedModule> module,
      std::vector<kernel::LibraryLoop> loops, std::string source);

  void Run(char* const* pointers, const int64_t* strides, int64_t n) const override;
  void RunRows(char* const* pointers, const int64_t* strides, int64_t n,
               const kernel::KernelRows& rows, bool non_temporal) const override;
  bool folds() const override { return fold_ != nullptr; }
  void Fold(char* const* pointers, const int64_t* strides, const kernel::KernelRows& rows,
            absl::Span<const kernel::FoldBlock> blocks, char* sums) const override;
  const std::string& source() const override { return source_; }
  absl::Span<const char> code() const override { return code_; }
  absl::string_view object() const override { return module_->binary; }

 private:
  LoadedKernel(const kernel::Kernel& kernel, int lanes, std::shared_ptr<const LoadedModule> module,
               std::vector<kernel::LibraryLoop> loops, std::string source);

  std::shared_ptr<const LoadedModule> module_;  // keeps the code mapped
  TileFunction function_;
  FoldFunction fold_;  // null: the kernel does not fold
  absl::Span<const char> code_;
  TileLoop tiles_;
  std::vector<kernel::LibraryLoop> loops_;
  std::string source_;
};

}  // namespace dynacc::cpu
