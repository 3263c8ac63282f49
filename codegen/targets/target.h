// Target: what turns kernels into something that runs. One folder and one row of
// codegen/compile/targets.def each.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/emit/lowering.h"
#include "codegen/schedule/schedule.h"
#include "codegen/targets/target_traits.h"
#include "runtime/executor/offload.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::targets {

class DeviceModule;

class Target {
 public:
  virtual ~Target() = default;
  virtual absl::string_view name() const = 0;
  virtual TargetTraits traits() const { return {}; }

  // Compiles the kernels of one graph, equal ones once where the target can. UNAVAILABLE if
  // the target cannot compile here (no compiler plug-in and nothing in the cache).
  virtual absl::StatusOr<std::vector<std::shared_ptr<const kernel::CompiledKernel>>> CompileKernels(
      absl::Span<const kernel::Kernel> kernels) const = 0;

  // Whether the target can be used here; UNAVAILABLE, with the reason, if not.
  virtual absl::Status Availability() const { return absl::OkStatus(); }

  // For a target on a device: the kernels there of a schedule's groups, which are lowered to
  // `lowered`, one each. CompileKernels is then asked only for what the host runs between them.
  // Null for targets of the host. `label`: what is compiled, for messages. `placement`: where
  // inputs and outputs are. `uses_graphs`: runs like one before are given to it as one graph.
  // UNAVAILABLE as above.
  virtual absl::StatusOr<std::shared_ptr<const DeviceModule>> CompileForDevice(
      [[maybe_unused]] const schedule::Schedule& schedule,
      [[maybe_unused]] absl::Span<const emit::LoweredKernel> lowered,
      [[maybe_unused]] const std::string& label,
      [[maybe_unused]] const executor::Placement& placement,
      [[maybe_unused]] bool uses_graphs) const {
    return nullptr;
  }

  // The same if nothing needs to be compiled for it, and at once; otherwise NOT_FOUND.
  virtual absl::StatusOr<std::vector<std::shared_ptr<const kernel::CompiledKernel>>> FindKernels(
      absl::Span<const kernel::Kernel> kernels) const {
    if (kernels.empty()) return CompileKernels(kernels);
    return absl::NotFoundError("this target keeps no kernels");
  }
};

}  // namespace dynacc::targets
