#include "codegen/targets/cpu/loop_compiler.h"

#include <utility>

#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loader/object_loader.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/host_cpu.h"

namespace dynacc {
namespace {

class LoopModule : public KernelModule {
 public:
  explicit LoopModule(std::unique_ptr<LoadedObject> object) : object_(std::move(object)) {}
  LoopFunction function() const {
    return reinterpret_cast<LoopFunction>(object_->FindFunction(kLoopFunctionName));
  }

 private:
  std::unique_ptr<LoadedObject> object_;
};

const std::string& Header() {
  static const std::string& header = *new std::string(LoopHeader());
  return header;
}

ContentHash KeyOf(const std::string& source) {
  return HashParts({DYNACC_VERSION, DYNACC_LLVM_VERSION, HostCpuFingerprint(), KernelCpuLevel(),
                    Header(), source});
}

absl::StatusOr<std::shared_ptr<const KernelModule>> Load(absl::string_view binary) {
  DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<LoadedObject> object, LoadObject(binary));
  return std::make_shared<const LoopModule>(std::move(object));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CompiledLoop>> CompileLoop(const std::string& source) {
  KernelModuleRequest request;
  request.key = KeyOf(source);
  request.source = source;
  request.compile = [&] { return CompileScalarObject(source, kLoopHeaderName, Header()); };
  request.load = Load;
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const KernelModule> module,
                          KernelCache::ForProcess().Get(request));
  const LoopFunction function = static_cast<const LoopModule&>(*module).function();
  if (function == nullptr) return absl::InternalError("no loop in its module");
  return std::make_shared<const CompiledLoop>(std::move(module), function);
}

}  // namespace dynacc
