// Debian's LLVM registers its Polly plug-in in the pass builder's extension list, but a static
// link has no Polly; an empty description satisfies the reference.
#include "llvm/Passes/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "0", [](llvm::PassBuilder&) {}};
}
