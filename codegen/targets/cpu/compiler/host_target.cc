#include "codegen/targets/cpu/compiler/host_target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace dynacc {
namespace {

HostTarget FindHost() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();  // the prelude has inline assembly
  HostTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    host.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  return host;
}

}  // namespace

const HostTarget& Host() {
  static const HostTarget& host = *new HostTarget(FindHost());
  return host;
}

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine() {
  const HostTarget& host = Host();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // only what the source marks
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      host.triple, host.cpu, llvm::join(host.features, ","), options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

}  // namespace dynacc
