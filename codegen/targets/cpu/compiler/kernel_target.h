// The machine that kernels are compiled for: this one, or a lesser one of its kind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Target/TargetMachine.h"

namespace dynacc {

struct KernelTarget {
  std::string triple;
  std::string cpu;                    // as LLVM names it: "znver5"
  std::vector<std::string> features;  // "+avx2", "-sse4a", ...; empty: what `cpu` has
};

// The target of that name, or this machine's own if it is empty. Registers LLVM's x86 back end.
KernelTarget FindTarget(llvm::StringRef cpu);

// A fresh machine for one compile: TargetMachine may not be shared between threads.
std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const KernelTarget& target);

}  // namespace dynacc
