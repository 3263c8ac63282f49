// The exported C functions of the plug-in.
#include <memory>
#include <string>

#include "codegen/targets/cpu/compiler/clang_frontend.h"
#include "codegen/targets/cpu/compiler/compile_memory.h"
#include "codegen/targets/cpu/compiler/compiler_api.h"
#include "codegen/targets/cpu/compiler/object_emitter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#define DYNACC_EXPORT extern "C" __attribute__((visibility("default")))

namespace dynacc::cpu {
namespace {

// More than a compile allocates: those of kernels took 4 MB, the largest loops 90 times their text.
constexpr size_t kReserveBytes = size_t{12} << 20;
constexpr size_t kReserveBytesOfText = 128;

llvm::StringRef Ref(const DynaccText& text) { return {text.data, text.size}; }

// LLVM warns of a loop that it was asked to do with vectors and could not. Nobody has to know.
struct ErrorsAlone : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    return info.getSeverity() != llvm::DS_Error;
  }
};

// The object code, or false with the diagnostics.
bool Compile(const DynaccCompileRequest& request, std::string& result) {
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<ErrorsAlone>());
  const SourceFile source{Ref(request.name), Ref(request.source)};
  const SourceFile header{Ref(request.header_name), Ref(request.header)};
  const KernelTarget target = FindTarget(Ref(request.cpu));
  std::unique_ptr<llvm::Module> module = ParseSource(context, source, header, target, result);
  if (module == nullptr) return false;
  return EmitObject(*module, target, request.is_scalar != 0, result);
}

}  // namespace
}  // namespace dynacc::cpu

DYNACC_EXPORT int DynaccCompilerApiVersion() {
  dynacc::cpu::EndReserveOfLoading();
  return DYNACC_COMPILER_API_VERSION;
}

DYNACC_EXPORT const char* DynaccCompilerLlvmVersion() {
#ifdef DYNACC_CHECKED_KERNELS
  return LLVM_VERSION_STRING "+asan";
#else
  return LLVM_VERSION_STRING;
#endif
}

DYNACC_EXPORT DynaccCompileStatus DynaccCompile(const DynaccCompileRequest* request,
                                                DynaccResultSink sink, void* context) {
  auto result = std::make_unique<std::string>();
  bool compiled = false;
  const auto memory = dynacc::cpu::WithMemoryReserve(
      dynacc::cpu::kReserveBytes + dynacc::cpu::kReserveBytesOfText * request->source.size,
      [&] { compiled = dynacc::cpu::Compile(*request, *result); });
  if (memory == dynacc::cpu::CompileMemory::kShort) return DYNACC_MEMORY_IS_SHORT;
  if (memory == dynacc::cpu::CompileMemory::kLost) {
    static_cast<void>(result.release());  // in whatever state it is
    return DYNACC_MEMORY_RAN_OUT;
  }
  sink(context, result->data(), result->size());
  return compiled ? DYNACC_COMPILED : DYNACC_NOT_COMPILED;
}
