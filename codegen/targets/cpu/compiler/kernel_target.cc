#include "codegen/targets/cpu/compiler/kernel_target.h"

#include <map>
#include <mutex>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace dynacc::cpu {
namespace {

KernelTarget FindHost() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();  // the prelude has inline assembly
  KernelTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  const std::unique_ptr<llvm::MCSubtargetInfo> usual(
      target == nullptr ? nullptr : target->createMCSubtargetInfo(host.triple, host.cpu, ""));
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    // A hundred names of what the CPU has anyway would be looked up again and again.
    const bool is_usual = usual != nullptr && usual->checkFeatures("+" + feature.first().str()) ==
                                                  static_cast<bool>(feature.second);
    if (is_usual) continue;
    host.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  return host;
}

}  // namespace

KernelTarget FindTarget(llvm::StringRef cpu) {
  static const KernelTarget& host = *new KernelTarget(FindHost());
  return cpu.empty() ? host : KernelTarget{host.triple, cpu.str(), {}};
}

namespace {

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const KernelTarget& kernel_target) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kernel_target.triple, error);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // only what the source marks
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      kernel_target.triple, kernel_target.cpu, llvm::join(kernel_target.features, ","), options,
      llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

// By the CPU's name: of one name there is one target. Never destroyed.
struct SpareMachines {
  std::mutex mutex;
  std::multimap<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
};
SpareMachines& Spare() {
  static SpareMachines& spare = *new SpareMachines;
  return spare;
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> TakeTargetMachine(const KernelTarget& target) {
  {
    const std::lock_guard lock(Spare().mutex);
    const auto found = Spare().machines.find(target.cpu);
    if (found != Spare().machines.end()) {
      return std::move(Spare().machines.extract(found).mapped());
    }
  }
  return MakeTargetMachine(target);
}

// A compile may be abandoned wherever it allocates (compile_memory.h): not under a lock.
void GiveBack(const KernelTarget& target, std::unique_ptr<llvm::TargetMachine> machine) {
  std::multimap<std::string, std::unique_ptr<llvm::TargetMachine>> one;
  one.emplace(target.cpu, std::move(machine));
  const std::lock_guard lock(Spare().mutex);
  Spare().machines.merge(one);
}

}  // namespace dynacc::cpu
