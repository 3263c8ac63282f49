// The exported C functions of the plug-in.
#include <string>

#include "codegen/targets/cpu/compiler/clang_frontend.h"
#include "codegen/targets/cpu/compiler/compiler_api.h"
#include "codegen/targets/cpu/compiler/object_emitter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#define DYNACC_EXPORT extern "C" __attribute__((visibility("default")))

namespace dynacc {
namespace {

llvm::StringRef Ref(const DynaccText& text) { return {text.data, text.size}; }

// The object code, or false with the diagnostics.
bool Compile(const DynaccCompileRequest& request, std::string& result) {
  llvm::LLVMContext context;
  const SourceFile source{Ref(request.name), Ref(request.source)};
  const SourceFile header{Ref(request.header_name), Ref(request.header)};
  const KernelTarget target = FindTarget(Ref(request.cpu));
  std::unique_ptr<llvm::Module> module = ParseSource(context, source, header, target, result);
  if (module == nullptr) return false;
  return EmitObject(*module, target, request.is_scalar != 0, result);
}

}  // namespace
}  // namespace dynacc

DYNACC_EXPORT int DynaccCompilerApiVersion() { return DYNACC_COMPILER_API_VERSION; }

DYNACC_EXPORT const char* DynaccCompilerLlvmVersion() { return LLVM_VERSION_STRING; }

DYNACC_EXPORT int DynaccCompile(const DynaccCompileRequest* request, DynaccResultSink sink,
                                void* context) {
  std::string result;
  const bool compiled = dynacc::Compile(*request, result);
  sink(context, result.data(), result.size());
  return compiled;
}
