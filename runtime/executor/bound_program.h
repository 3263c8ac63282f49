// BoundProgram: the steps of a graph for one set of sizes and strides, with all that follows from
// those filled in.
//
// A RunFrame finds out at each run what follows from sizes and strides alone: shapes, memory
// orders, loop nests, where temporaries lie. Small arrays take longer for that than for their
// elements. After a run every step that can (Step::Bind) gives what is left to do when they are
// known. Later runs with the same sizes and strides look where their arrays lie, add offsets, and
// call kernels.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/plan.h"
#include "runtime/executor/row_stage.h"
#include "runtime/executor/run_frame.h"

namespace dynacc::executor {

class Step;

// A place in a run's memory: a fixed distance from where a root lies, which is an array that each
// run has elsewhere, and distances that this run's numbers say, as the `i` of `x[i]` does.
struct BoundAddress {
  struct Term {
    ScalarId number;
    int64_t stride;  // bytes
  };
  int root = 0;
  int64_t offset = 0;  // bytes
  std::vector<Term> terms;
};

// What a step does once its operands are found: `ready` never gives up.
struct BoundStep {
  std::unique_ptr<const ReadyRows> ready;
  std::vector<BoundAddress> operands;
  uint32_t reported_flags = 0;  // of <cfenv>
};

// Sizes and strides: which runs a BoundProgram is for.
struct BoundKey {
  struct Number {
    ScalarId id;
    int64_t value;
  };
  struct Input {
    int rank;
    bool is_aligned;  // to its element's size
    int64_t strides[kMaxRank];
  };
  // Two inputs that a step may only take if they have no memory in common.
  struct Pair {
    int a, b;  // of RunArguments::inputs
  };
  std::vector<Number> numbers;  // that sizes and strides follow from
  std::vector<Input> inputs;
  std::vector<Pair> apart;
};

class BoundProgram {
 public:
  // Whether this run has the sizes and strides.
  bool Fits(const RunArguments& arguments) const;

  // As CompiledGraph::Run, of arguments that fit.
  absl::StatusOr<uint32_t> Run(const RunArguments& arguments) const;

 private:
  friend class Binder;

  // An array that lies elsewhere in each run.
  struct Root {
    BufferKind kind;           // kInput, kScalar, kOutput
    int index = 0;             // kInput, kOutput
    StridedView view;          // kOutput: without memory
    BufferPlan number;         // kScalar
    bool is_constant = false;  // kScalar: `cell` is it
    ElementCell cell;
  };
  class Memory;

  absl::Status Place(const RunArguments& arguments, Memory& memory) const;
  uint32_t RunSteps(const RunArguments& arguments, const Memory& memory) const;

  BoundKey key_;
  std::vector<Root> roots_;  // the root after the last is the memory of temporaries
  std::vector<BoundStep> steps_;
  std::vector<BoundStep> write_backs_;
  size_t memory_bytes_ = 0;   // of temporaries
  size_t scratch_bytes_ = 0;  // for the steps, after the temporaries
  LaunchTotals totals_;       // of a run
};

// Makes a BoundProgram of a run that is over, step by step in their order. What cannot be bound
// makes it give up (Step::Bind says so).
class Binder {
 public:
  // `known`: how many of the frame's numbers a run is told, those after them follow from sizes.
  Binder(const std::vector<BufferPlan>& plan, const ScalarProgram& scalars,
         const RunArguments& arguments, int known, const RunFrame& frame);

  const RunFrame& frame() const { return frame_; }

  // A step's loops take this long at most: longer ones may be shared by threads, and little is to
  // be saved around them.
  static bool IsShort(double nanoseconds) { return nanoseconds < kMostNanoseconds; }

  // Where what `operand` shows begins.
  BoundAddress AddressOf(const OperandPlan& operand);
  BoundAddress AddressOf(int buffer) const { return addresses_[buffer]; }
  // ... what `views` show of the buffer.
  BoundAddress AddressOf(int buffer, absl::Span<const ViewPlan> views);

  // As RunFrame::Allocate, AllocateLike, Alias and Release. The buffers have their shapes and
  // strides from the frame.
  void Allocate(int buffer);
  void AllocateLike(int buffer);
  void Alias(int buffer, BoundAddress address);
  void Release(int buffer);

  // The program is for runs in which these numbers are as in the frame.
  void Keep(ScalarId number) { is_kept_[number] = true; }
  void Keep(const ShapePlan& shape);
  void Keep(const LayoutStep& step);

  // The program is for runs in which two buffers share no memory. False: they do in this one.
  bool KeepApart(int buffer_a, int buffer_b);

  // Adds what is to be done with those operands. `scratch_bytes`: what it needs meanwhile.
  void Add(std::unique_ptr<const ReadyRows> ready, std::vector<BoundAddress> operands,
           size_t scratch_bytes = 0);

  // Adds a copy of elements, each view beginning at its address.
  void Copy(const StridedView& from, BoundAddress at, const StridedView& to, BoundAddress to_at);

  // Binds a step and releases what it used last. False: it cannot be bound.
  bool BindStep(const Step& step);

  // Binds a copy at the end of a run. False: it is too long.
  bool BindWriteBack(const WriteBackPlan& plan);

  // The program. Called once, at last.
  std::unique_ptr<const BoundProgram> Finish();

 private:
  // Below it PartsFor (launch_step.h) says one.
  static constexpr double kMostNanoseconds = 16'000;

  // A part of the temporaries' memory.
  struct Block {
    int64_t offset, bytes;
  };

  bool IsConstant(ScalarId number) const;
  int64_t ValueOf(ScalarId number) const { return frame_.scalars()[number].i; }
  void AddRoots();
  // Gives the buffer memory whose byte `first` is where its first element lies.
  void Place(int buffer, int64_t bytes, int64_t first);
  void KeepWhatFollows();

  const std::vector<BufferPlan>& plan_;
  const ScalarProgram& scalars_;
  const RunArguments& arguments_;
  const int known_;
  const RunFrame& frame_;
  std::unique_ptr<BoundProgram> program_;
  std::vector<BoundAddress> addresses_;  // by buffer
  std::vector<bool> is_placed_;          // by buffer
  std::vector<Block> own_;               // by buffer: the memory that it has; of 0 bytes: none
  std::vector<Block> free_;
  std::vector<bool> is_kept_;      // by number
  uint32_t flags_ = ~uint32_t{0};  // that count of the step which is being bound
};

// The BoundPrograms of one graph. Thread-safe without a lock: what is added stays.
class BoundPrograms {
 public:
  BoundPrograms() = default;
  ~BoundPrograms();
  BoundPrograms(const BoundPrograms&) = delete;
  BoundPrograms& operator=(const BoundPrograms&) = delete;

  // One that fits; null if there is none.
  const BoundProgram* Find(const RunArguments& arguments) const;

  // Counts a run for which there was none. True: it is to be bound.
  bool IsWorthBinding();

  // Null: it could not be bound.
  void Add(std::unique_ptr<const BoundProgram> program);

 private:
  static constexpr int kMost = 4;
  // Runs of so many kinds are recorded at most: after these, sizes change from run to run, or the
  // graph has steps that cannot be bound.
  static constexpr uint32_t kLastRun = 1 << 10;

  std::atomic<const BoundProgram*> programs_[kMost] = {};
  std::atomic<uint32_t> runs_ = 0;
};

}  // namespace dynacc::executor
