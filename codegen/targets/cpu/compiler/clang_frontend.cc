#include "codegen/targets/cpu/compiler/clang_frontend.h"

#include <vector>

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace dynacc::cpu {
namespace {

// What clang -cc1 is told; the driver, which would work this out, is not linked in.
//   no contraction: a * b + c rounds twice, as NumPy's two loops do;
//   -fwrapv: integers wrap around, as NumPy's do;
//   -relaxed-aliasing: operands are bytes in the array library's memory;
//   -disable-llvm-passes: the passes are run by object_emitter.cc.
constexpr const char* kFlags[] = {
    "-emit-llvm-only",
    "-disable-llvm-verifier",
    "-discard-value-names",
    "-disable-llvm-passes",
    "-mrelocation-model",
    "pic",
    "-pic-level",
    "2",
    "-mframe-pointer=none",
    "-ffp-contract=off",
    "-fno-rounding-math",
    "-fwrapv",
    "-relaxed-aliasing",
    "-mconstructor-aliases",
    "-O3",
    "-std=c++20",
    "-fno-rtti",
    "-nostdsysteminc",
    "-nobuiltininc",
    "-fgnuc-version=4.2.1",
    "-mprefer-vector-width=512",
};

std::vector<std::string> Arguments(const SourceFile& source, const KernelTarget& target) {
  std::vector<std::string> arguments(std::begin(kFlags), std::end(kFlags));
  arguments.insert(arguments.end(), {"-triple", target.triple, "-target-cpu", target.cpu,
                                     "-main-file-name", source.name.str()});
  for (const std::string& feature : target.features) {
    arguments.push_back("-target-feature");
    arguments.push_back(feature);
  }
  arguments.insert(arguments.end(), {"-x", "c++", "/" + source.name.str()});
  return arguments;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> MemoryFiles(const SourceFile& source,
                                                            const SourceFile& header) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const SourceFile* file : {&source, &header}) {
    files->addFile("/" + file->name.str(), 0, llvm::MemoryBuffer::getMemBufferCopy(file->text));
  }
  return files;
}

}  // namespace

std::unique_ptr<llvm::Module> ParseSource(llvm::LLVMContext& context, const SourceFile& source,
                                          const SourceFile& header, const KernelTarget& target,
                                          std::string& diagnostics) {
  llvm::raw_string_ostream messages(diagnostics);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  auto printer = std::make_unique<clang::TextDiagnosticPrinter>(messages, options.get());

  clang::CompilerInstance clang;
  clang.createDiagnostics(printer.get(), /*ShouldOwnClient=*/false);
  clang.setVerboseOutputStream(llvm::nulls());  // "1 error generated." goes nowhere
  const std::vector<std::string> arguments = Arguments(source, target);
  std::vector<const char*> argument_pointers;
  for (const std::string& argument : arguments) argument_pointers.push_back(argument.c_str());
  if (!clang::CompilerInvocation::CreateFromArgs(clang.getInvocation(), argument_pointers,
                                                 clang.getDiagnostics())) {
    return nullptr;
  }
  clang.createFileManager(MemoryFiles(source, header));
  clang::EmitLLVMOnlyAction action(&context);
  const bool parsed = clang.ExecuteAction(action);
  messages.flush();
  return parsed ? action.takeModule() : nullptr;
}

}  // namespace dynacc::cpu
