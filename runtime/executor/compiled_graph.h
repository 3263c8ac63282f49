// CompiledGraph: what codegen makes of one graph, ready to run any number of times.
//
// A list of steps (kernel launches, library calls) over buffers: the inputs, the
// outputs, and temporaries that it manages itself. It knows neither Python nor compilers, is
// immutable, and may run on several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/fp_flag.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {

// What a library call gave. `view` is valid for as long as this lives; nobody writes to it.
class LibraryCallResult {
 public:
  virtual ~LibraryCallResult() = default;

  StridedView view;
};

// Gives the memory of results, for example as new NumPy arrays.
class OutputSink {
 public:
  virtual ~OutputSink() = default;

  // Sets `view.data` for output `index`, whose dtype, shape and byte strides are filled in (the
  // strides are NumPy's choice for a fresh result: dense, in the memory order of the inputs).
  // RESOURCE_EXHAUSTED if there is no memory.
  virtual absl::Status Allocate(int index, StridedView& view) = 0;

  // Takes what a library call gave as output `index`, as it is. False if this sink takes memory of
  // its own only: then the result is copied into what Allocate gives.
  virtual bool Adopt(int index, const std::shared_ptr<LibraryCallResult>& result) {
    static_cast<void>(index);
    static_cast<void>(result);
    return false;
  }

  // Asked once in each run, when everything is computed and before any input's memory is written
  // (outputs with a target). `flags`: the FpFlags that the run raised. False: the inputs stay as
  // they are, and the results are not used.
  virtual bool MayWriteBack([[maybe_unused]] uint32_t flags) { return true; }
};

struct LibraryCallArguments {
  int64_t library_call_id = 0;           // as the graph's node has it
  absl::Span<const StridedView> inputs;  // of the node's operands
  DType dtype = DType::kFloat64;         // what the node promises of the result ...
  absl::Span<const int64_t> shape;       // ... and its sizes; -1: any
  bool is_output = false;                // the result may be handed to the program as it is
  bool has_free_orders = false;          // as RunArguments'
};

// Runs what no kernel does: functions of the array library itself. Called with the GIL held.
class LibraryCaller {
 public:
  virtual ~LibraryCaller() = default;

  // Calls the registered function. Its result has the dtype and shape that were promised, in
  // memory (and memory order) of the library's own choice. ABORTED if the function raised an error
  // or gave something else: the caller lets Python run the stretch.
  virtual absl::StatusOr<std::shared_ptr<LibraryCallResult>> Call(
      const LibraryCallArguments& arguments) = 0;
};

struct RunArguments {
  absl::Span<const StridedView> inputs;   // one for each Input node, in order
  absl::Span<const ScalarValue> scalars;  // every expression of the graph's ScalarProgram
  // The caller's own `scalars`, where the data-dependent ones are written as they become known.
  absl::Span<ScalarValue> late = {};
  OutputSink* sink = nullptr;
  LibraryCaller* library_calls = nullptr;  // may be null if the graph has no LibraryCall node
  // Asked every few milliseconds of a long run, on the calling thread: true ends it with CANCELLED.
  bool (*stop)() = nullptr;
  // The memory order of arrays is nobody's concern: what a library call gives in another one than
  // steps expect is copied. Otherwise the run is ABORTED, as orders of outputs would follow from
  // it.
  bool has_free_orders = false;
};

// What is computed, in bytes of the operands: twice as many numbers of half the size take as long.
struct Work {
  int64_t arithmetic = 0;  // by operators of the machine: a product and a sum are two
  int64_t functions = 0;   // exponentials and the like, which loops compute

  Work& operator+=(const Work& other) {
    arithmetic += other.arithmetic;
    functions += other.functions;
    return *this;
  }
  friend Work operator*(Work work, int64_t times) {
    return {work.arithmetic * times, work.functions * times};
  }
};

// What the runs of one step have taken, all together.
struct StepMeasure {
  int group = -1;  // of the schedule: the first that it runs; -1: none
  int64_t runs = 0, nanoseconds = 0, bytes_read = 0, bytes_written = 0;
  Work work;
};

// Groups of the schedule, from the first to the last; -1: none.
struct GroupRange {
  int first = -1;
  int last = -1;
};

class StepMeter;

class CompiledGraph {
 public:
  virtual ~CompiledGraph() = default;

  // Runs all steps. Returns the FpFlags raised by any of them, as far as the graph says that they
  // are reported (Graph::ReportedBy); the caller decides what they mean.
  // Nothing is written but freshly allocated outputs and, at the very end, if the sink agrees, the
  // inputs that are targets of outputs: no two of those, nor one and another input, may share
  // memory, and no element of them another. The floating-point environment is left with the flags
  // it had. Errors, before anything is written back: ABORTED (something is not as the graph takes
  // for granted: a library call raised, a data-dependent size is another, an index is beyond its
  // array; Python has to run the stretch), RESOURCE_EXHAUSTED (no memory), CANCELLED (told to
  // stop), INVALID_ARGUMENT (an extremum of nothing), INTERNAL; of a device also the driver's own.
  virtual absl::StatusOr<uint32_t> Run(const RunArguments& arguments) const = 0;

  // The schedule and the kernels' sources, for dynacc.explain.
  virtual std::string Describe() const = 0;

  // What its steps have taken so far; empty if the process does not measure them (measure.h).
  virtual std::vector<StepMeasure> Measures() const { return {}; }

  // As Run, and adds what each step took to `meter`, which is for as many steps as Groups has.
  // UNIMPLEMENTED if it has no steps.
  virtual absl::StatusOr<uint32_t> RunMeasured(const RunArguments&, StepMeter&) const {
    return absl::UnimplementedError("no steps to measure");
  }

  // What each step runs.
  virtual std::vector<GroupRange> Groups() const { return {}; }
};

}  // namespace dynacc::executor
