#include "codegen/targets/cpu/cpu_target.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/compile_threads.h"
#include "codegen/targets/cpu/cpu_dialect.h"
#include "codegen/targets/cpu/module_plan.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loader/loaded_kernel.h"
#include "runtime/cpu/loader/object_loader.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/host_cpu.h"

namespace dynacc::cpu {
namespace {

class CpuModule : public cache::KernelModule {
 public:
  explicit CpuModule(LoadedModule loaded)
      : loaded_(std::make_shared<const LoadedModule>(std::move(loaded))) {}
  const std::shared_ptr<const LoadedModule>& loaded() const { return loaded_; }

 private:
  std::shared_ptr<const LoadedModule> loaded_;
};

absl::StatusOr<std::vector<kernel::LibraryLoop>> FindLoops(const kernel::Kernel& kernel) {
  std::vector<kernel::LibraryLoop> loops;
  for (const kernel::KernelStep& step : kernel.steps) {
    if (!step.library) continue;
    loops.push_back(kernel::FindLibraryLoop(static_cast<int>(step.op), step.dtype));
    if (!loops.back()) {
      return absl::UnimplementedError(absl::StrCat("no library loop for ",
                                                   dynacc::Info(step.op).text, " on ",
                                                   dynacc::Info(step.dtype).text));
    }
  }
  return loops;
}

cache::ContentHash ModuleKey(absl::string_view source) {
  static const cache::ContentHash& prelude =
      *new cache::ContentHash(cache::HashContent(kCpuPrelude));
  return cache::HashParts({DYNACC_VERSION, DYNACC_LLVM_VERSION, platform::HostCpuFingerprint(),
                           platform::KernelCpuLevel(), prelude.Hex(),
                           emit::WithoutComments(source)});
}

absl::StatusOr<std::shared_ptr<const cache::KernelModule>> LoadModule(absl::string_view binary) {
  DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<LoadedObject> object, LoadObject(binary));
  std::string kept(ProcessOptions().debug_dir.empty() ? absl::string_view() : binary);
  return std::make_shared<const CpuModule>(LoadedModule{std::move(object), std::move(kept)});
}

using CompiledKernels = std::vector<std::shared_ptr<const kernel::CompiledKernel>>;

class CpuTargetImpl : public targets::Target {
 public:
  explicit CpuTargetImpl(cache::KernelCache& cache) : cache_(cache) {}
  absl::string_view name() const override { return "cpu"; }
  targets::TargetTraits traits() const override {
    return {.has_compiler = true, .compiles_loops = true};
  }

  absl::StatusOr<CompiledKernels> CompileKernels(
      absl::Span<const kernel::Kernel> given) const override {
    return Make(given, /*compile=*/true);
  }

  absl::StatusOr<CompiledKernels> FindKernels(
      absl::Span<const kernel::Kernel> given) const override {
    return Make(given, /*compile=*/false);
  }

 private:
  absl::StatusOr<CompiledKernels> Make(absl::Span<const kernel::Kernel> given, bool compile) const {
    std::vector<kernel::Kernel> kernels;
    for (const kernel::Kernel& kernel : given)
      kernels.push_back(emit::WithFastForms(kernel, CpuDialect()));
    const ModulePlan plan = PlanModules(kernels);
    DYNACC_ASSIGN_OR_RETURN(const std::vector<CompiledKernels> modules, MakeModules(plan, compile));
    CompiledKernels compiled;
    for (const ModulePlan::Place& place : plan.places) {
      compiled.push_back(modules[place.module][place.kernel]);
    }
    return compiled;
  }

  absl::StatusOr<std::vector<CompiledKernels>> MakeModules(const ModulePlan& plan,
                                                           bool compile) const {
    const int count = static_cast<int>(plan.modules.size());
    std::vector<absl::StatusOr<CompiledKernels>> made(count, absl::UnknownError("not made"));
    // What is on disk is found sooner than a thread starts.
    for (int i = 0; i < count; ++i) made[i] = MakeModule(plan.modules[i], /*compile=*/false);
    std::vector<int> missing;
    for (int i = 0; i < count && compile; ++i) {
      if (absl::IsNotFound(made[i].status())) missing.push_back(i);
    }
    targets::RunOnThreads(static_cast<int>(missing.size()), [&](int i) {
      absl::StatusOr<CompiledKernels>& module = made[missing[i]];
      try {
        module = MakeModule(plan.modules[missing[i]], /*compile=*/true);
      } catch (const std::bad_alloc&) {
        module = absl::ResourceExhaustedError("no memory to compile kernels");
      }
    });
    std::vector<CompiledKernels> modules;
    for (auto& module : made) {
      DYNACC_ASSIGN_OR_RETURN(CompiledKernels kernels, std::move(module));
      modules.push_back(std::move(kernels));
    }
    return modules;
  }

  absl::StatusOr<CompiledKernels> MakeModule(const std::vector<kernel::Kernel>& kernels,
                                             bool compile) const {
    DYNACC_ASSIGN_OR_RETURN(const std::string source, emit::EmitModule(kernels, CpuDialect()));
    DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<const cache::KernelModule> module,
                            GetModule(source, static_cast<int>(kernels.size()), compile));
    const int lanes = VectorLanes(kernels);
    CompiledKernels compiled;
    for (const kernel::Kernel& kernel : kernels) {
      DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const kernel::CompiledKernel> bound,
                              Bind(kernel, lanes, module));
      compiled.push_back(std::move(bound));
    }
    return compiled;
  }

  absl::StatusOr<std::shared_ptr<const cache::KernelModule>> GetModule(const std::string& source,
                                                                       int num_kernels,
                                                                       bool compile) const {
    cache::KernelModuleRequest request;
    request.key = ModuleKey(source);
    request.source = source;
    request.num_kernels = num_kernels;
    if (compile) request.compile = [&] { return CompileObject("kernels.cc", source); };
    request.load = LoadModule;
    return cache_.Get(request);
  }

  static absl::StatusOr<std::shared_ptr<const kernel::CompiledKernel>> Bind(
      const kernel::Kernel& kernel, int lanes,
      const std::shared_ptr<const cache::KernelModule>& loaded) {
    const auto module = std::static_pointer_cast<const CpuModule>(loaded);
    DYNACC_ASSIGN_OR_RETURN(std::vector<kernel::LibraryLoop> loops, FindLoops(kernel));
    DYNACC_ASSIGN_OR_RETURN(std::string source, emit::EmitKernel(kernel, CpuDialect()));
    return LoadedKernel::Bind(kernel, lanes, module->loaded(), std::move(loops), std::move(source));
  }

  cache::KernelCache& cache_;
};

}  // namespace

const targets::Target* CpuTarget() {
  static const targets::Target& target = *new CpuTargetImpl(cache::KernelCache::ForProcess());
  return &target;
}

std::unique_ptr<targets::Target> MakeCpuTarget(cache::KernelCache& cache) {
  return std::make_unique<CpuTargetImpl>(cache);
}

}  // namespace dynacc::cpu
