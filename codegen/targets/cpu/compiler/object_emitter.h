// The back half of a compile: optimise an LLVM module and write it as an ELF object, in memory.
#pragma once

#include <string>

#include "codegen/targets/cpu/compiler/kernel_target.h"
#include "llvm/IR/Module.h"

namespace dynacc::cpu {

// Runs the pass pipeline (LLVM's own if the module is scalar code, not a kernel's vectors) and the
// code generator on `module`, which was parsed for `target`. On success `result` is the object;
// otherwise it is the reason, and false is returned.
bool EmitObject(llvm::Module& module, const KernelTarget& target, bool is_scalar,
                std::string& result);

}  // namespace dynacc::cpu
