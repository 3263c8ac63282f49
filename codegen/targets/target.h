// Target: what turns kernels into something that runs. One folder and one row of targets.def each.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"
#include "runtime/kernel/compiled_kernel.h"

namespace dynacc {

class Target {
 public:
  virtual ~Target() = default;
  virtual absl::string_view name() const = 0;

  // Compiles the kernels of one graph, as one module where the target has modules. UNAVAILABLE if
  // the target cannot compile here (no compiler plug-in and nothing in the cache).
  virtual absl::StatusOr<std::vector<std::shared_ptr<const CompiledKernel>>> CompileKernels(
      absl::Span<const Kernel> kernels) const = 0;

  // The same if nothing needs to be compiled for it, and at once; otherwise NOT_FOUND.
  virtual absl::StatusOr<std::vector<std::shared_ptr<const CompiledKernel>>> FindKernels(
      absl::Span<const Kernel> kernels) const {
    if (kernels.empty()) return CompileKernels(kernels);
    return absl::NotFoundError("this target keeps no kernels");
  }
};

// The target of that name (targets.def), or null.
const Target* FindTarget(absl::string_view name);

}  // namespace dynacc
