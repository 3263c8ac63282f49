#include "codegen/compile/targets.h"

#include "absl/strings/str_cat.h"
#include "codegen/targets/cpu/cpu_target.h"
#include "codegen/targets/tile/tile_target.h"
#ifdef DYNACC_HAS_CUDA_TARGET
#include "codegen/targets/cuda/cuda_target.h"
#endif
#include "runtime/base/log.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/cpu/onednn/library.h"

namespace dynacc::compile {
namespace {

struct TargetRow {
  const char* name;
  const targets::Target* (*get)();
};

constexpr TargetRow kTargets[] = {
#define DYNACC_TARGET(function, name, doc) {name, function},
#include "codegen/compile/targets.def"
#undef DYNACC_TARGET
};

void WarnOfTile(const std::string& target_name, const absl::Status& unavailable) {
  WarnOnce(absl::StrCat("target ", target_name),
           absl::StrCat(std::string(unavailable.message()),
                        "; kernels run on library loops (target tile), which is slower"));
}

}  // namespace

const targets::Target* FindTarget(absl::string_view name) {
  for (const TargetRow& row : kTargets) {
    if (name == row.name) return row.get();
  }
  return nullptr;
}

absl::StatusOr<Kernels> CompileKernels(absl::Span<const kernel::Kernel> kernels,
                                       const CompileOptions& options) {
  if (kernels.empty()) return Kernels();
  const targets::Target* target = FindTarget(options.target);
  absl::Status unavailable = absl::UnavailableError(absl::StrCat("no target ", options.target));
  if (target != nullptr) {
    absl::StatusOr<Kernels> compiled = target->CompileKernels(kernels);
    const bool is_short = absl::IsResourceExhausted(compiled.status()) && !options.tries_again;
    if (!absl::IsUnavailable(compiled.status()) && !is_short) return compiled;
    unavailable = compiled.status();
  }
  WarnOfTile(options.target, unavailable);
  return FindTarget("tile")->CompileKernels(kernels);
}

schedule::MatmulPolicy ProductsFor(const CompileOptions& options) {
  schedule::MatmulPolicy policy;
  policy.any_order = options.fast_math && options.has_product_library;
  policy.reads_windows = !TraitsOf(options.target).has_device;
  if (options.has_product_library && !TraitsOf(options.target).has_device) {
    policy.library = &cpu::OneDnnStatus;
    policy.takes_bfloat16 = [] { return cpu::HasFusedMatmuls(DType::kBFloat16); };
  }
  return policy;
}

bool GoesToDevice(const CompileOptions& options, const ir::Graph& graph) {
  const targets::Target* target = FindTarget(options.target);
  return target != nullptr && target->traits().has_device &&
         graph.scalars().num_data_dependent() == 0 && target->Availability().ok();
}

absl::StatusOr<Device> CompileForDevice(const CompileOptions& options,
                                        const schedule::Schedule& schedule,
                                        absl::Span<const emit::LoweredKernel> lowered,
                                        bool needs_device) {
  const targets::Target* target = FindTarget(options.target);
  if (target == nullptr) return Device();
  absl::StatusOr<Device> device = target->CompileForDevice(schedule, lowered, options.label,
                                                           options.placement, options.cuda_graphs);
  const bool is_error = needs_device || options.placement.device != 0;
  if (!absl::IsUnavailable(device.status()) || is_error) return device;
  WarnOfTile(options.target, device.status());
  return Device();
}

}  // namespace dynacc::compile
