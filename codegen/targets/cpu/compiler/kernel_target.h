// The machine that kernels are compiled for: this one, or a lesser one of its kind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Target/TargetMachine.h"

namespace dynacc::cpu {

struct KernelTarget {
  std::string triple;
  std::string cpu;                    // as LLVM names it: "znver5"
  std::vector<std::string> features;  // "+avx2", "-sse4a", ...; empty: what `cpu` has
};

// The target of that name, or this machine's own if it is empty. Registers LLVM's x86 back end.
KernelTarget FindTarget(llvm::StringRef cpu);

// A machine that nobody else uses: TargetMachine may not be shared between threads. Null if LLVM
// does not know the target.
std::unique_ptr<llvm::TargetMachine> TakeTargetMachine(const KernelTarget& target);

// Keeps `machine`, which was taken for `target`, for a later compile: what it knows by then of the
// CPU took it a tenth of a compile to work out.
void GiveBack(const KernelTarget& target, std::unique_ptr<llvm::TargetMachine> machine);

}  // namespace dynacc::cpu
