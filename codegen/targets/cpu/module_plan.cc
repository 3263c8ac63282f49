#include "codegen/targets/cpu/module_plan.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace dynacc::cpu {
namespace {

// A module's start takes as long as half a kernel or so, so that more of them than this in one
// would leave other cores idle for little.
constexpr int kKernelsPerModule = 4;

// What kernels that compute the same have in common: all but names and the user's lines.
std::string Content(const kernel::Kernel& kernel) {
  std::string content = kernel.fast_math ? "fast" : "";
  if (kernel.non_temporal) absl::StrAppend(&content, "non_temporal");
  if (kernel.folds) absl::StrAppend(&content, "folds");
  absl::StrAppend(&content, "tile", kernel.tile, "unroll", kernel.unroll, ";");
  for (const DType input : kernel.inputs) absl::StrAppend(&content, static_cast<int>(input), ",");
  for (const kernel::KernelStep& step : kernel.steps) {
    absl::StrAppend(&content, ";", static_cast<int>(step.op), ",", static_cast<int>(step.dtype),
                    ",", static_cast<int>(step.result), ",");
    absl::StrAppend(&content, step.a, ",", step.b, ",", step.c, step.library ? "L" : "");
  }
  for (const int output : kernel.outputs) absl::StrAppend(&content, ">", output);
  return content;
}

}  // namespace

ModulePlan PlanModules(absl::Span<const kernel::Kernel> kernels) {
  ModulePlan plan;
  absl::flat_hash_map<std::string, ModulePlan::Place> known;
  for (const kernel::Kernel& kernel : kernels) {
    const bool is_full = plan.modules.empty() || plan.modules.back().size() == kKernelsPerModule;
    const ModulePlan::Place next = {static_cast<int>(plan.modules.size()) - (is_full ? 0 : 1),
                                    is_full ? 0 : static_cast<int>(plan.modules.back().size())};
    const auto [found, is_new] = known.try_emplace(Content(kernel), next);
    plan.places.push_back(found->second);
    if (!is_new) continue;
    if (is_full) plan.modules.emplace_back();
    plan.modules.back().push_back(kernel);
    plan.modules.back().back().name = absl::StrCat("k", next.kernel);
  }
  return plan;
}

}  // namespace dynacc::cpu
