// LoopTier: how a loop program is run: interpreted at first, compiled when it has run for long.
#pragma once

#include <atomic>
#include <memory>

#include "codegen/targets/cpu/loop_compiler.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// All under the GIL, but for the compile.
class LoopTier {
 public:
  // Runs `program`, always the same, until an exit. A run that is long ends at a back edge now and
  // then, where a compiled loop may take over.
  int Run(const LoopProgram& program, LoopFrame& frame);

 private:
  // Shared with the thread that compiles.
  struct Job {
    std::shared_ptr<const cpu::CompiledLoop> loop;
    bool memory_is_short = false;  // for a compile; perhaps not for ever
    std::atomic<bool> done{false};
  };

  // `frame`: the run that comes next.
  void Start(const LoopProgram& program, const LoopFrame& frame);
  bool IsDue() const;

  std::shared_ptr<Job> job_;  // once it has been started
  int64_t rounds_ = 0;
  int64_t compile_after_ = 0;  // rounds before which there is no compile
};

}  // namespace dynacc::loops
