// The targets that graphs can be compiled for (targets.def), and the way from a wanted target to
// one that can compile here.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/compile/compiler.h"
#include "codegen/targets/device_module.h"
#include "codegen/targets/target.h"

namespace dynacc::compile {

using Kernels = std::vector<std::shared_ptr<const kernel::CompiledKernel>>;
using Device = std::shared_ptr<const targets::DeviceModule>;

// The name of the one that has no row and no kernels: it interprets graphs.
inline constexpr const char* kReferenceTarget = "reference";

// The target of that name, or null; kReferenceTarget is none of them.
const targets::Target* FindTarget(absl::string_view name);

// Compiles with the wanted target; with tile, and a warning, where that one cannot compile on this
// machine, or not now.
absl::StatusOr<Kernels> CompileKernels(absl::Span<const kernel::Kernel> kernels,
                                       const CompileOptions& options);

// How the target multiplies matrices: those of the host have oneDNN, a device has products of its
// own.
schedule::MatmulPolicy ProductsFor(const CompileOptions& options);

// Whether the graph's kernels will be a device's. Its steps are made for sizes that are known
// before the run.
bool GoesToDevice(const CompileOptions& options, const ir::Graph& graph);

// The groups' kernels on the target's device; null if it has none, or none that can be used here,
// unless the graph is for a device alone.
absl::StatusOr<Device> CompileForDevice(const CompileOptions& options,
                                        const schedule::Schedule& schedule,
                                        absl::Span<const emit::LoweredKernel> lowered,
                                        bool needs_device);

}  // namespace dynacc::compile
