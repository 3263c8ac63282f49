#include "runtime/program/kernel_loader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loader/loaded_kernel.h"
#include "runtime/cpu/loader/object_loader.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/cpu/tiles/tile_kernel.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/platform/cpu_level.h"

namespace dynacc::program {
namespace {

using Module = std::shared_ptr<const cpu::LoadedModule>;

// The set for the highest level that this machine has; null if there is none.
const CodeSet* BestSet(const std::vector<CodeSet>& sets) {
  const CodeSet* best = nullptr;
  for (const absl::string_view level : platform::LevelsOfThisMachine()) {
    for (const CodeSet& set : sets) {
      if (set.level == level) best = &set;
    }
  }
  return best;
}

kernel::LibraryLoop LoopOf(const kernel::KernelStep& step) {
  return cpu::OwnLoop(step.op, step.dtype, step.form);
}

absl::StatusOr<std::vector<kernel::LibraryLoop>> LoopsOf(const kernel::Kernel& kernel) {
  std::vector<kernel::LibraryLoop> loops;
  for (const kernel::KernelStep& step : kernel.steps) {
    if (!step.library) continue;
    loops.push_back(LoopOf(step));
    if (loops.back()) continue;
    return absl::UnimplementedError(
        absl::StrCat("this library has no ", Info(step.op).text, " of ", Info(step.dtype).text));
  }
  return loops;
}

absl::StatusOr<std::vector<Module>> LoadModules(const CodeSet& set) {
  std::vector<Module> modules;
  for (const std::string& object : set.objects) {
    DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<cpu::LoadedObject> loaded, cpu::LoadObject(object),
                            "a kernel's object");
    modules.push_back(
        std::make_shared<const cpu::LoadedModule>(cpu::LoadedModule{std::move(loaded), ""}));
  }
  return modules;
}

// What code of the compiler's alone computes: functions that fast_math has another form for.
absl::Status CheckPortable(const kernel::Kernel& kernel, const ProgramContents& contents) {
  for (const kernel::KernelStep& step : kernel.steps) {
    const bool moves = step.op == Op::kCast || step.op == Op::kWhere;
    if (moves || step.library || IsEmitted(step.op, step.dtype)) continue;
    std::string levels;
    for (const CodeSet& set : contents.code) {
      absl::StrAppend(&levels, levels.empty() ? "" : ", ", set.level);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("it has code for ", levels, " and none that this machine runs"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LoadedKernels> LoadKernels(const ProgramContents& contents) {
  LoadedKernels loaded;
  const CodeSet* const set = BestSet(contents.code);
  std::vector<Module> modules;
  if (set != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(modules, LoadModules(*set));
    loaded.level = set->level;
  }
  for (const KernelSpec& spec : contents.kernels) {
    BoundKernel& bound = loaded.kernels.emplace_back();
    DYNACC_ASSIGN_OR_RETURN(bound.kernel, kernel::ParseKernel(spec.text), "a kernel's text");
    if (set == nullptr) {
      DYNACC_RETURN_IF_ERROR(CheckPortable(bound.kernel, contents));
      DYNACC_ASSIGN_OR_RETURN(bound.compiled, cpu::TileKernel::Make(bound.kernel, LoopOf));
      continue;
    }
    if (spec.module < 0 || spec.module >= static_cast<int>(modules.size())) {
      return absl::InvalidArgumentError("a kernel without code");
    }
    DYNACC_ASSIGN_OR_RETURN(std::vector<kernel::LibraryLoop> loops, LoopsOf(bound.kernel));
    DYNACC_ASSIGN_OR_RETURN(bound.compiled,
                            cpu::LoadedKernel::Bind(bound.kernel, spec.lanes, modules[spec.module],
                                                    std::move(loops), std::string()));
  }
  return loaded;
}

}  // namespace dynacc::program
