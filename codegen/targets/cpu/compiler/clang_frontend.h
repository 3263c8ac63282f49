// The front half of a compile: C++ text to an LLVM module, by Clang, without a driver or files.
#pragma once

#include <memory>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace dynacc {

struct SourceFile {
  llvm::StringRef name;
  llvm::StringRef text;
};

// Parses `source`, which may include `header` and nothing else: the file system that Clang sees
// is in memory. Null, with Clang's diagnostics in `diagnostics`, if it does not compile.
std::unique_ptr<llvm::Module> ParseSource(llvm::LLVMContext& context, const SourceFile& source,
                                          const SourceFile& header, std::string& diagnostics);

}  // namespace dynacc
