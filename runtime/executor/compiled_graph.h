// CompiledGraph: what codegen makes of one graph, ready to run any number of times.
//
// A list of steps (kernel launches, library calls, extern calls) over buffers: the inputs, the
// outputs, and temporaries that it manages itself. It knows neither Python nor compilers, is
// immutable, and may run on several threads at once.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc {

// Gives the memory of results, for example as new NumPy arrays.
class OutputSink {
 public:
  virtual ~OutputSink() = default;

  // Sets `view.data` for output `index`, whose dtype, shape and byte strides are filled in (the
  // strides are NumPy's choice for a fresh result: dense, in the memory order of the inputs).
  // RESOURCE_EXHAUSTED if there is no memory.
  virtual absl::Status Allocate(int index, StridedView& view) = 0;

  // Asked once in each run, when everything is computed and before any input's memory is written
  // (outputs with a target). `flags`: the FpFlags that the run raised. False: the inputs stay as
  // they are, and the results are not used.
  virtual bool MayWriteBack([[maybe_unused]] uint32_t flags) { return true; }
};

// Runs what no kernel does: functions of the array library itself. Called with the GIL held.
class ExternCaller {
 public:
  virtual ~ExternCaller() = default;

  // Calls the function registered under `extern_id` (Node attr) and writes into `outputs`, which
  // are allocated with the shapes that the graph says.
  virtual absl::Status Call(int64_t extern_id, absl::Span<const StridedView> inputs,
                            absl::Span<StridedView> outputs) = 0;
};

// Floating-point flags that a run raised, as NumPy's error categories.
enum FpFlag : uint32_t {
  kFpDivide = 1,
  kFpOverflow = 2,
  kFpUnderflow = 4,
  kFpInvalid = 8,
};

struct RunArguments {
  absl::Span<const StridedView> inputs;   // one for each Input node, in order
  absl::Span<const ScalarValue> scalars;  // every expression of the graph's ScalarProgram
  OutputSink* sink = nullptr;
  ExternCaller* externs = nullptr;  // may be null if the graph has no Extern node
  // Asked every few milliseconds of a long run, on the calling thread: true ends it with CANCELLED.
  bool (*stop)() = nullptr;
};

class CompiledGraph {
 public:
  virtual ~CompiledGraph() = default;

  // Runs all steps. Returns the FpFlags raised by any of them; the caller decides what they mean.
  // Nothing is written but freshly allocated outputs and, at the very end, if the sink agrees, the
  // inputs that are targets of outputs: no two of those, nor one and another input, may share
  // memory, and no element of them another. The floating-point environment is left with the flags
  // it had. Errors, before anything is written back: RESOURCE_EXHAUSTED (no memory), CANCELLED (told
  // to stop), INTERNAL.
  virtual absl::StatusOr<uint32_t> Run(const RunArguments& arguments) const = 0;

  // The schedule and the kernels' sources, for dynacc.explain and the logs.
  virtual std::string Describe() const = 0;
};

}  // namespace dynacc
