// Loop programs compiled for this CPU (codegen/loops), by Clang or from the kernel cache.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "codegen/loops/loop_source.h"
#include "runtime/cache/kernel_cache.h"

namespace dynacc::cpu {

class CompiledLoop {
 public:
  CompiledLoop(std::shared_ptr<const cache::KernelModule> module, loops::LoopFunction function)
      : module_(std::move(module)), function_(function) {}

  // Does what InterpretLoop does, but for registers that the exit does not tell of. `callees`:
  // those of the program that was compiled, or of an equal one.
  int Run(const loops::LoopCallee* callees, loops::LoopFrame& frame) const {
    return function_(frame.registers, frame.arrays, frame.poll, frame.host, callees, &frame.rounds,
                     frame.most_rounds);
  }

 private:
  std::shared_ptr<const cache::KernelModule> module_;  // keeps the code mapped
  loops::LoopFunction function_;
};

// From memory, from disk, or compiled (some hundredths of a second). `source`: of PrintLoopSource.
// Thread-safe. Errors: those of CompileObject (plugin_loader.h).
absl::StatusOr<std::shared_ptr<const CompiledLoop>> CompileLoop(const std::string& source);

}  // namespace dynacc::cpu
