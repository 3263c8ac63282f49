#include "runtime/executor/control_flow_steps.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/memory_order.h"
#include "runtime/tensor/fp_flag.h"

namespace dynacc::executor {
namespace {

int64_t BytesOf(const StridedView& view) { return view.size() * ItemSize(view.dtype); }

absl::Status NoMemory() { return absl::ResourceExhaustedError("no memory for a loop or branch"); }

// Operands in C order, without gaps: the operand's own memory, or a copy.
class PackedOperands {
 public:
  PackedOperands(RunFrame& frame, size_t count) : frame_(frame), copies_(count) {
    views_.reserve(count);
  }

  absl::Status Add(const OperandPlan& operand) {
    StridedView storage;
    StridedView view = frame_.Resolve(operand, storage);
    if (IsContiguous(view)) {
      views_.push_back(view);
      return absl::OkStatus();
    }
    ScratchBlock& copy = copies_[views_.size()];
    if (!copy.Allocate(std::max<int64_t>(BytesOf(view), 1))) return NoMemory();
    StridedView packed = view;
    packed.data = copy.data();
    SetContiguousStrides(packed);
    CopyElements(view, packed);
    views_.push_back(packed);
    return absl::OkStatus();
  }

  std::vector<StridedView>& views() { return views_; }

 private:
  RunFrame& frame_;
  std::vector<StridedView> views_;
  std::vector<ScratchBlock> copies_;
};

// Has each output written where it is told: a graph that is run for a step.
class PlacedOutputs : public OutputSink {
 public:
  // Memory for output i, and how many bytes that is; null: nobody reads it.
  struct Place {
    char* data = nullptr;
    int64_t bytes = 0;
  };
  std::vector<Place> places;

  absl::Status Allocate(int index, StridedView& view) override {
    const Place& place = places[index];
    if (place.data == nullptr) return AllocateUnread(index, view);
    if (BytesOf(view) != place.bytes || !IsContiguous(view)) {
      return absl::AbortedError("a result of a branch or round has another shape than before");
    }
    view.data = place.data;
    return absl::OkStatus();
  }

 private:
  // Each round writes to the same block.
  absl::Status AllocateUnread(int index, StridedView& view) {
    std::vector<char>& block = unread_[index];
    block.resize(std::max<int64_t>(BytesOf(view), 1));
    view.data = block.data();
    return absl::OkStatus();
  }

  absl::flat_hash_map<int, std::vector<char>> unread_;
};

// One graph, ready to be run for a step any number of times.
class SubgraphRun {
 public:
  SubgraphRun(const SubgraphPlan& plan, RunFrame& frame)
      : plan_(plan), values_(plan.scalars.size()) {
    arguments_.library_calls = frame.library_calls();
    arguments_.stop = frame.stop();
    arguments_.sink = &outputs;
  }

  // Computes the graph's numbers. Once.
  absl::Status Start(const RunFrame& frame) {
    std::vector<ScalarValue> numbers;
    for (const ScalarId id : plan_.numbers) numbers.push_back(frame.scalars()[id]);
    if (!plan_.scalars.Evaluate(numbers, absl::MakeSpan(values_))) {
      return absl::AbortedError("a size in a branch or loop has no value");
    }
    arguments_.scalars = values_;
    arguments_.late = absl::MakeSpan(values_);
    return absl::OkStatus();
  }

  absl::Status Run(absl::Span<const StridedView> inputs) {
    arguments_.inputs = inputs;
    DYNACC_ASSIGN_OR_RETURN(const uint32_t raised, plan_.graph->Run(arguments_));
    flags |= raised;
    return absl::OkStatus();
  }

  PlacedOutputs outputs;
  uint32_t flags = 0;  // FpFlags

 private:
  const SubgraphPlan& plan_;
  RunArguments arguments_;
  std::vector<ScalarValue> values_;
};

// Gives each result memory: its buffer's, or a block of its own where nobody reads it.
class ResultMemory {
 public:
  ResultMemory(RunFrame& frame, size_t count) : frame_(frame), blocks_(count) {}

  absl::StatusOr<PlacedOutputs::Place> Of(size_t index, int buffer, int64_t bytes) {
    if (buffer >= 0) {
      DYNACC_RETURN_IF_ERROR(frame_.Allocate(buffer));
      const StridedView& view = frame_.view(buffer);
      return PlacedOutputs::Place{view.data, BytesOf(view)};
    }
    if (!blocks_[index].Allocate(std::max<int64_t>(bytes, 1))) return NoMemory();
    return PlacedOutputs::Place{blocks_[index].data(), bytes};
  }

 private:
  RunFrame& frame_;
  std::vector<ScratchBlock> blocks_;
};

// A branch's results: those that nobody reads get memory when their size is known.
class BranchOutputs : public OutputSink {
 public:
  BranchOutputs(RunFrame& frame, const std::vector<int>& outputs)
      : outputs_(outputs), memory_(frame, outputs.size()) {}

  absl::Status Allocate(int index, StridedView& view) override {
    DYNACC_ASSIGN_OR_RETURN(const PlacedOutputs::Place place,
                            memory_.Of(index, outputs_[index], BytesOf(view)));
    if (place.bytes != BytesOf(view) || !IsContiguous(view)) {
      return absl::AbortedError("the branches give results of different shapes");
    }
    view.data = place.data;
    return absl::OkStatus();
  }

 private:
  const std::vector<int>& outputs_;
  ResultMemory memory_;
};

}  // namespace

CondStep::CondStep(OperandPlan condition, std::vector<OperandPlan> operands,
                   std::vector<int> outputs, std::vector<SubgraphPlan> branches)
    : condition_(std::move(condition)),
      operands_(std::move(operands)),
      outputs_(std::move(outputs)),
      branches_(std::move(branches)) {}

absl::Status CondStep::Run(RunFrame& frame) const {
  StridedView storage;
  const bool is_true = *frame.Resolve(condition_, storage).data != 0;
  PackedOperands operands(frame, operands_.size());
  for (const OperandPlan& operand : operands_) DYNACC_RETURN_IF_ERROR(operands.Add(operand));
  const SubgraphPlan& branch = branches_[is_true ? 0 : 1];
  std::vector<ScalarValue> numbers, values(branch.scalars.size());
  for (const ScalarId id : branch.numbers) numbers.push_back(frame.scalars()[id]);
  if (!branch.scalars.Evaluate(numbers, absl::MakeSpan(values))) {
    return absl::AbortedError("a size in a branch has no value");
  }
  BranchOutputs sink(frame, outputs_);
  RunArguments arguments;
  arguments.inputs = operands.views();
  arguments.scalars = values;
  arguments.late = absl::MakeSpan(values);
  arguments.sink = &sink;
  arguments.library_calls = frame.library_calls();
  arguments.stop = frame.stop();
  DYNACC_ASSIGN_OR_RETURN(const uint32_t flags, branch.graph->Run(arguments));
  platform::RaiseHardwareFlags(HardwareFlagsOf(flags));
  return absl::OkStatus();
}

namespace {

// One run of a LoopStep.
class LoopRun {
 public:
  LoopRun(const LoopPlan& plan, RunFrame& frame)
      : plan_(plan),
        frame_(frame),
        operands_(frame, plan.operands.size()),
        memory_(frame, plan.outputs.size()),
        spare_(plan.num_carries),
        body_(plan.graphs[0], frame) {
    if (plan.graphs.size() > 1) condition_.emplace(plan.graphs[1], frame);
  }

  absl::Status Run() {
    DYNACC_RETURN_IF_ERROR(Start());
    int64_t round = 0;
    for (; round < limit_; ++round) {
      DYNACC_ASSIGN_OR_RETURN(const bool goes_on, Holds());
      if (!goes_on) break;
      if ((round & kRoundsBetweenStops) == 0 && frame_.ShallStop()) {
        return absl::CancelledError("told to stop");
      }
      DYNACC_RETURN_IF_ERROR(Round(plan_.reverse ? limit_ - 1 - round : round));
    }
    return Finish(round);
  }

 private:
  static constexpr int64_t kRoundsBetweenStops = 63;  // a mask

  size_t num_stacked() const { return plan_.outputs.size() - 1 - plan_.num_carries; }
  std::vector<StridedView>& inputs() { return operands_.views(); }

  absl::Status Start() {
    for (const OperandPlan& operand : plan_.operands) {
      DYNACC_RETURN_IF_ERROR(operands_.Add(operand));
    }
    length_ =
        plan_.length == kNoScalar ? std::numeric_limits<int64_t>::max() : frame_.Size(plan_.length);
    limit_ = length_;
    if (plan_.counted) {
      StridedView storage;
      int64_t rounds;
      std::memcpy(&rounds, frame_.Resolve(plan_.rounds, storage).data, sizeof(rounds));
      limit_ = std::min(length_, std::max<int64_t>(rounds, 0));
    }
    DYNACC_RETURN_IF_ERROR(body_.Start(frame_));
    if (condition_) {
      DYNACC_RETURN_IF_ERROR(condition_->Start(frame_));
      condition_->outputs.places = {{&holds_, 1}};
    }
    DYNACC_RETURN_IF_ERROR(StartCarries());
    DYNACC_RETURN_IF_ERROR(StartStacked());
    return StartSlices();
  }

  // The first round reads the operand itself; after that the carry's two places take turns.
  absl::Status StartCarries() {
    for (size_t i = 0; i < plan_.num_carries; ++i) {
      const int64_t bytes = BytesOf(inputs()[plan_.num_constants + i]);
      DYNACC_ASSIGN_OR_RETURN(PlacedOutputs::Place place, memory_.Of(i, plan_.outputs[i], bytes));
      if (place.bytes != bytes || !spare_[i].Allocate(std::max<int64_t>(bytes, 1))) {
        return place.bytes != bytes ? absl::AbortedError("a carry changes its shape") : NoMemory();
      }
      results_.push_back(place.data);
      body_.outputs.places.push_back(place);
    }
    return absl::OkStatus();
  }

  absl::Status StartStacked() {
    for (size_t i = 0; i < num_stacked(); ++i) {
      const size_t index = plan_.num_carries + i;
      if (plan_.outputs[index] < 0) {
        stacked_.push_back({nullptr, 0});
        body_.outputs.places.push_back({});
        continue;
      }
      DYNACC_ASSIGN_OR_RETURN(const PlacedOutputs::Place whole,
                              memory_.Of(index, plan_.outputs[index], 0));
      const int64_t bytes = length_ == 0 ? 0 : whole.bytes / length_;
      stacked_.push_back({whole.data, bytes});
      body_.outputs.places.push_back({whole.data, bytes});
      // Which rounds will run is not known of a loop with a condition.
      if (limit_ < length_ || condition_) std::memset(whole.data, 0, whole.bytes);
    }
    return absl::OkStatus();
  }

  // Arrays of slices become the slice of a round.
  absl::Status StartSlices() {
    for (size_t i = plan_.num_constants + plan_.num_carries; i < inputs().size(); ++i) {
      StridedView& view = inputs()[i];
      if (view.shape[0] < limit_) {
        return absl::AbortedError("a loop of more rounds than there are slices");
      }
      const int64_t bytes = view.shape[0] == 0 ? 0 : BytesOf(view) / view.shape[0];
      slices_.push_back({view.data, bytes});
      std::copy(view.shape + 1, view.shape + view.rank, view.shape);
      --view.rank;
      SetContiguousStrides(view);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Holds() {
    if (!condition_) return true;
    const absl::Span<const StridedView> all = inputs();
    DYNACC_RETURN_IF_ERROR(
        condition_->Run(all.subspan(0, plan_.num_constants + plan_.num_carries)));
    return holds_ != 0;
  }

  absl::Status Round(int64_t at) {
    const size_t first_slice = plan_.num_constants + plan_.num_carries;
    for (size_t i = 0; i < slices_.size(); ++i) {
      inputs()[first_slice + i].data = slices_[i].data + at * slices_[i].bytes;
    }
    for (size_t i = 0; i < stacked_.size(); ++i) {
      if (stacked_[i].data == nullptr) continue;
      body_.outputs.places[plan_.num_carries + i].data = stacked_[i].data + at * stacked_[i].bytes;
    }
    DYNACC_RETURN_IF_ERROR(body_.Run(inputs()));
    for (size_t i = 0; i < plan_.num_carries; ++i) {
      char*& written = body_.outputs.places[i].data;
      inputs()[plan_.num_constants + i].data = written;
      written = written == results_[i] ? spare_[i].data() : results_[i];
    }
    return absl::OkStatus();
  }

  absl::Status Finish(int64_t rounds) {
    for (size_t i = 0; i < plan_.num_carries; ++i) {
      const StridedView& last = inputs()[plan_.num_constants + i];
      if (last.data != results_[i]) std::memcpy(results_[i], last.data, BytesOf(last));
    }
    if (const int count = plan_.outputs.back(); count >= 0) {
      DYNACC_RETURN_IF_ERROR(frame_.Allocate(count));
      std::memcpy(frame_.view(count).data, &rounds, sizeof(rounds));
    }
    const uint32_t flags = body_.flags | (condition_ ? condition_->flags : 0);
    platform::RaiseHardwareFlags(HardwareFlagsOf(flags));
    return absl::OkStatus();
  }

  struct Rows {
    char* data;
    int64_t bytes;  // of one row
  };

  const LoopPlan& plan_;
  RunFrame& frame_;
  PackedOperands operands_;
  ResultMemory memory_;
  std::vector<ScratchBlock> spare_;
  SubgraphRun body_;
  std::optional<SubgraphRun> condition_;
  std::vector<char*> results_;
  std::vector<Rows> stacked_, slices_;
  int64_t length_ = 0, limit_ = 0;
  char holds_ = 0;
};

}  // namespace

absl::Status LoopStep::Run(RunFrame& frame) const { return LoopRun(plan_, frame).Run(); }

}  // namespace dynacc::executor
