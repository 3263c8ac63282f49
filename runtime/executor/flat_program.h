// FlatProgram: a graph of nothing but kernels over whole arrays, as a list of calls.
//
// What a call of a small function takes is hardly its kernel: it is views, strides, memory orders
// and temporaries, all of which a RunFrame finds out at each run. Where every step is one kernel
// over arrays of one shape, and every input lies in C order, there is nothing to find out but where
// the arrays lie.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/plan.h"
#include "runtime/kernel/compiled_kernel.h"

namespace dynacc::executor {

class Step;

// One call: operands are buffers of the plan, inputs then outputs.
struct FlatLaunch {
  const kernel::CompiledKernel* kernel = nullptr;
  ShapePlan shape;
  std::vector<int> operands;
  std::vector<int64_t> strides;  // bytes; 0: a number
  std::vector<int> outputs;      // those of the operands that it makes
  int bytes_read = 0;            // an element
  int bytes_written = 0;         // an element
  double cost = 1;               // nanoseconds an element
  uint32_t reported_flags = 0;   // of <cfenv>
};

class FlatProgram {
 public:
  // Null if some step is more than such a call (Step::AsFlat), or works on a temporary. `buffers`
  // and `steps` outlive it.
  static std::unique_ptr<const FlatProgram> Make(
      const std::vector<BufferPlan>& buffers,
      const std::vector<std::unique_ptr<const Step>>& steps);

  // Whether this run is as simple: all inputs in C order, something to do, but too little for
  // several threads. The caller knows that fresh arrays are in C order then, too.
  bool Fits(const RunArguments& arguments) const;

  // As CompiledGraph::Run, of arguments that fit.
  absl::StatusOr<uint32_t> Run(const RunArguments& arguments) const;

 private:
  static constexpr int kMaxBuffers = 16;

  explicit FlatProgram(const std::vector<BufferPlan>& buffers) : buffers_(buffers) {}

  absl::Status Allocate(int buffer, const RunArguments& arguments, char** data) const;
  absl::StatusOr<uint32_t> Launch(const RunArguments& arguments, char** data) const;

  const std::vector<BufferPlan>& buffers_;
  std::vector<FlatLaunch> launches_;
};

}  // namespace dynacc::executor
