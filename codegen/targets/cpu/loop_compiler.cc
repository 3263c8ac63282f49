#include "codegen/targets/cpu/loop_compiler.h"

#include <utility>

#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loader/object_loader.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/host_cpu.h"

namespace dynacc::cpu {
namespace {

class LoopModule : public cache::KernelModule {
 public:
  explicit LoopModule(std::unique_ptr<LoadedObject> object) : object_(std::move(object)) {}
  loops::LoopFunction function() const {
    return reinterpret_cast<loops::LoopFunction>(object_->FindFunction(loops::kLoopFunctionName));
  }

 private:
  std::unique_ptr<LoadedObject> object_;
};

const std::string& Header() {
  static const std::string& header = *new std::string(loops::LoopHeader());
  return header;
}

cache::ContentHash KeyOf(const std::string& source) {
  return cache::HashParts({DYNACC_VERSION, DYNACC_LLVM_VERSION, platform::HostCpuFingerprint(),
                           platform::KernelCpuLevel(), Header(), source});
}

absl::StatusOr<std::shared_ptr<const cache::KernelModule>> Load(absl::string_view binary) {
  DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<LoadedObject> object, LoadObject(binary));
  return std::make_shared<const LoopModule>(std::move(object));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CompiledLoop>> CompileLoop(const std::string& source) {
  cache::KernelModuleRequest request;
  request.key = KeyOf(source);
  request.source = source;
  request.compile = [&] { return CompileScalarObject(source, loops::kLoopHeaderName, Header()); };
  request.load = Load;
  DYNACC_ASSIGN_OR_RETURN(std::shared_ptr<const cache::KernelModule> module,
                          cache::KernelCache::ForProcess().Get(request));
  const loops::LoopFunction function = static_cast<const LoopModule&>(*module).function();
  if (function == nullptr) return absl::InternalError("no loop in its module");
  return std::make_shared<const CompiledLoop>(std::move(module), function);
}

}  // namespace dynacc::cpu
