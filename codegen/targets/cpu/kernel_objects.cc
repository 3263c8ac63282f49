#include "codegen/targets/cpu/kernel_objects.h"

#include "codegen/emit/emitter.h"
#include "codegen/targets/compile_threads.h"
#include "codegen/targets/cpu/cpu_dialect.h"
#include "codegen/targets/cpu/module_plan.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cpu {

absl::StatusOr<KernelObjects> CompileKernelObjects(absl::Span<const kernel::Kernel> kernels,
                                                   absl::Span<const std::string> levels) {
  std::vector<kernel::Kernel> forms;
  for (const kernel::Kernel& kernel : kernels) {
    forms.push_back(emit::WithFastForms(kernel, CpuDialect()));
  }
  const ModulePlan plan = PlanModules(forms);
  std::vector<std::string> sources;
  for (const std::vector<kernel::Kernel>& module : plan.modules) {
    DYNACC_ASSIGN_OR_RETURN(sources.emplace_back(), emit::EmitModule(module, CpuDialect()));
  }
  const int count = static_cast<int>(sources.size());
  std::vector<absl::StatusOr<std::string>> compiled(count * levels.size(),
                                                    absl::UnknownError("not made"));
  targets::RunOnThreads(static_cast<int>(compiled.size()), [&](int i) {
    compiled[i] = CompileObjectFor(levels[i / count], "kernels.cc", sources[i % count]);
  });
  KernelObjects result;
  result.objects.resize(levels.size());
  for (size_t i = 0; i < compiled.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(result.objects[i / count].emplace_back(), std::move(compiled[i]));
  }
  for (const ModulePlan::Place& place : plan.places) {
    const std::vector<kernel::Kernel>& module = plan.modules[place.module];
    result.places.push_back({module[place.kernel], VectorLanes(module), place.module});
  }
  return result;
}

}  // namespace dynacc::cpu
