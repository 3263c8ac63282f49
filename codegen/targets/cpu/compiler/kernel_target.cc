#include "codegen/targets/cpu/compiler/kernel_target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace dynacc {
namespace {

KernelTarget FindHost() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();  // the prelude has inline assembly
  KernelTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    host.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  return host;
}

}  // namespace

KernelTarget FindTarget(llvm::StringRef cpu) {
  static const KernelTarget& host = *new KernelTarget(FindHost());
  return cpu.empty() ? host : KernelTarget{host.triple, cpu.str(), {}};
}

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

}  // namespace dynacc
