// The front half of a compile: C++ text to an LLVM module, by Clang, without a driver or files.
#pragma once

#include <memory>
#include <string>

#include "codegen/targets/cpu/compiler/kernel_target.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace dynacc::cpu {

struct SourceFile {
  llvm::StringRef name;
  llvm::StringRef text;
};

// Parses `source` for `target`; it may include `header` and nothing else: the file system that
// Clang sees is in memory. Null, with Clang's diagnostics in `diagnostics`, if it does not compile.
std::unique_ptr<llvm::Module> ParseSource(llvm::LLVMContext& context, const SourceFile& source,
                                          const SourceFile& header, const KernelTarget& target,
                                          std::string& diagnostics);

}  // namespace dynacc::cpu
