// The machine that kernels are compiled for: this one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llvm/Target/TargetMachine.h"

namespace dynacc {

struct HostTarget {
  std::string triple;
  std::string cpu;                    // as LLVM names it: "znver5"
  std::vector<std::string> features;  // "+avx2", "-sse4a", ...
};

// Found out once; registers LLVM's x86 back end.
const HostTarget& Host();

// A fresh machine for one compile: TargetMachine may not be shared between threads.
std::unique_ptr<llvm::TargetMachine> MakeTargetMachine();

}  // namespace dynacc
