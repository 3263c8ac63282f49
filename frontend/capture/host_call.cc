#include "frontend/capture/host_call.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "boost/container/small_vector.hpp"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/entry_inputs.h"
#include "frontend/cache/host_plan.h"
#include "frontend/capture/direct_call.h"
#include "frontend/capture/segment_compiler.h"
#include "frontend/frame/source_line.h"
#include "runtime/base/stats.h"
#include "runtime/base/trace_file.h"
#include "runtime/platform/buffer_cache.h"
#include "runtime/tensor/element_types.h"
#include "runtime/tensor/fp_flag.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::capture {
namespace {

// The plan, made when it is first asked for.
const std::shared_ptr<const cache::HostPlan>& PlanOf(cache::Entry& entry) {
  if (!entry.tier.asked_for_host_plan) entry.tier.host_plan = cache::MakeHostPlan(entry);
  entry.tier.asked_for_host_plan = true;
  return entry.tier.host_plan;
}

bool IsLent(BorrowedRef object, absl::Span<numpy::LentArray> lent) {
  return std::any_of(lent.begin(), lent.end(),
                     [object](numpy::LentArray& array) { return array.object() == object; });
}

template <typename T>
T Read(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// What `item()` of an array scalar gives; nothing for an int beyond 64 bits and complex numbers.
template <typename T>
std::optional<cache::HostResult> NumberOf(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (ShortFloatType<T>) {
    return double{ToFloat(value)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return double{value};
  } else if constexpr (std::is_integral_v<T>) {
    if (!std::in_range<int64_t>(value)) return std::nullopt;
    return static_cast<int64_t>(value);
  } else {
    return std::nullopt;
  }
}

std::optional<cache::HostResult> NumberAt(DType dtype, const char* bytes) {
  switch (dtype) {
#define DYNACC_DTYPE(name, text, type, kind, character) \
  case DType::k##name:                                  \
    return NumberOf(Read<type>(bytes));
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  }
  return std::nullopt;
}

bool HaveSameElements(const StridedView& a, const StridedView& b) {
  if (a.dtype != b.dtype || a.rank != b.rank || !std::equal(a.shape, a.shape + a.rank, b.shape)) {
    return false;
  }
  for (int i = 0; i < a.rank; ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

// Results in places of the caller's, or in blocks of the process's cache.
class Sink : public executor::OutputSink {
 public:
  Sink(const cache::HostPlan& plan, uint32_t reported_flags)
      : plan_(plan), reported_flags_(reported_flags), outputs_(plan.output_is_scalar.size()) {}

  // Output `index` is to lie there if it fits.
  void SetPlace(int index, const StridedView& place) { outputs_[index].place = &place; }

  absl::Status Allocate(int index, StridedView& view) override {
    Output& output = outputs_[index];
    if (plan_.output_is_scalar[index]) {
      view.data = output.bytes;
    } else if (output.place != nullptr && HaveSameElements(*output.place, view)) {
      view.data = output.place->data;
    } else {
      const size_t bytes = static_cast<size_t>(view.size()) * ItemSize(view.dtype);
      void* block = platform::BufferCache::Process().Allocate(bytes);
      if (block == nullptr) return absl::ResourceExhaustedError("no memory for a result");
      output.owner = std::shared_ptr<void>(
          block, [bytes](void* memory) { platform::BufferCache::Process().Free(memory, bytes); });
      view.data = static_cast<char*>(block);
    }
    output.view = view;
    return absl::OkStatus();
  }

  bool MayWriteBack(uint32_t flags) override {
    done_ = (flags & reported_flags_) == 0;
    return done_;
  }

  bool done() const { return done_; }

  // The scalar or array that the graph gave; nothing for a number that is too large.
  std::optional<cache::HostResult> Get(int index) const {
    const Output& output = outputs_[index];
    if (plan_.output_is_scalar[index]) return NumberAt(output.view.dtype, output.bytes);
    return cache::HostMemory{output.view, output.owner};
  }

 private:
  struct Output {
    Output() {}  // NOLINT(modernize-use-equals-default): that would clear the view

    StridedView view;
    std::shared_ptr<void> owner;  // null in the caller's place
    const StridedView* place = nullptr;
    alignas(16) char bytes[16];
  };
  const cache::HostPlan& plan_;
  const uint32_t reported_flags_;
  boost::container::small_vector<Output, 2> outputs_;
  bool done_ = false;
};

}  // namespace

struct HostCall::State {
  bool Take(const cache::Entry& entry, const WholeCall& call, absl::Span<numpy::LentArray> lent);
  absl::Span<const int> Values() const;
  void GivePlaces(absl::Span<const StridedView> places, Sink& sink) const;
  bool MakeResults(const Sink& sink, bool with_containers);
  std::optional<cache::HostResult> MakeResult(const cache::HostPlan::Step& step,
                                              const Sink& sink) const;
  std::optional<cache::HostResult> MakeView(const cache::HostPlan::Step& step) const;

  std::shared_ptr<const cache::HostPlan> plan;
  std::shared_ptr<const executor::CompiledGraph> graph;
  cache::EntryInputs inputs;
  uint32_t reported_flags = 0;  // FpFlags with which the run is not for us
  std::string label;            // for the trace file
  boost::container::small_vector<Ref, 4> held;
  std::vector<cache::HostResult> results;
};

HostCall::HostCall() : state_(std::make_unique<State>()) {}
HostCall::~HostCall() = default;

const std::vector<cache::HostResult>& HostCall::results() const { return state_->results; }
int HostCall::returned() const { return state_->plan->returned; }
absl::Span<const int> HostCall::values() const { return state_->Values(); }
bool HostCall::holds_objects() const { return !state_->held.empty(); }
void HostCall::Drop() { state_->held.clear(); }

void HostCall::Clear() {
  state_->plan.reset();
  state_->graph.reset();
  state_->results.clear();
  state_->reported_flags = 0;
}

absl::Span<const int> HostCall::State::Values() const {
  const auto* items = std::get_if<cache::HostItems>(&plan->steps[plan->returned].constant);
  if (items == nullptr || items->is_dict) return {&plan->returned, 1};
  return items->items;
}

bool HostCall::Match(BorrowedRef function, const cache::Compilation* compilation,
                     absl::Span<const BorrowedRef> arguments, absl::Span<numpy::LentArray> lent) {
  return VisitWholeCall(function, compilation, arguments,
                        [&](const WholeCall& call, cache::Entry& entry) {
                          if (!PlanOf(entry)) return WholeCallStep::kLeave;
                          if (!state_->Take(entry, call, lent)) return WholeCallStep::kNext;
                          return WholeCallStep::kDone;
                        });
}

bool HostCall::State::Take(const cache::Entry& entry, const WholeCall& call,
                           absl::Span<numpy::LentArray> lent) {
  const arrays::ArrayNamespace& arrays = call.arrays;
  if (entry.needs_usual_buffers && !arrays.HasUsualBuffers()) return false;
  if (!cache::EvaluateEntry(entry, call.slots, arrays, inputs)) return false;
  if (!cache::ReadArrays(entry, call.slots, arrays, inputs)) return false;
  for (const int slot : entry.array_slots) {
    if (!IsLent(call.slots[slot], lent)) held.push_back(Ref::New(call.slots[slot]));
  }
  if (Tracing(TraceLevel::kRuns)) label = frame::CodeLabel(call.code, call.code->co_firstlineno);
  plan = entry.tier.host_plan;
  graph = entry.tier.compiled;
  if (entry.reports_errors) {
    reported_flags = entry.knows_error_state ? kAllFpFlags : arrays.ReportedFpFlags();
  }
  return true;
}

// An input that shares memory with a place would be written before it is read.
void HostCall::State::GivePlaces(absl::Span<const StridedView> places, Sink& sink) const {
  const absl::Span<const int> values = Values();
  for (size_t i = 0; i < std::min(places.size(), values.size()); ++i) {
    const cache::HostPlan::Step& step = plan->steps[values[i]];
    if (step.op != frame_state::FrameStateOp::kOutput) continue;
    const auto overlaps = [&place = places[i]](const StridedView& other) {
      return MayOverlap(place, other);
    };
    if (std::none_of(inputs.views.begin(), inputs.views.end(), overlaps) &&
        std::none_of(places.begin(), places.begin() + i, overlaps)) {
      sink.SetPlace(step.a, places[i]);
    }
  }
}

HostCall::Outcome HostCall::Run(bool (*stop)(), absl::Span<const StridedView> places) {
  TraceSpan span("run", TraceLevel::kRuns);
  if (span) span.Begin(state_->label);
  Sink sink(*state_->plan, state_->reported_flags);
  state_->GivePlaces(places, sink);
  executor::RunArguments run;
  const cache::EntryInputs& inputs = state_->inputs;
  run.inputs = {inputs.views.data(), inputs.views.size()};
  run.scalars = {inputs.scalars.data(), inputs.scalars.size()};
  run.sink = &sink;
  run.stop = stop;
  const absl::StatusOr<uint32_t> flags = state_->graph->Run(run);
  if (absl::IsCancelled(flags.status())) return Outcome::kStopped;
  if (!flags.ok() || !sink.done()) return Outcome::kFallback;
  return state_->MakeResults(sink, places.empty()) ? Outcome::kDone : Outcome::kFallback;
}

// False if a result has no form outside Python after all.
bool HostCall::State::MakeResults(const Sink& sink, bool with_containers) {
  results.reserve(plan->steps.size());
  for (const cache::HostPlan::Step& step : plan->steps) {
    if (!with_containers && std::holds_alternative<cache::HostItems>(step.constant)) {
      results.emplace_back();
      continue;
    }
    std::optional<cache::HostResult> result = MakeResult(step, sink);
    if (!result) return false;
    results.push_back(*std::move(result));
  }
  return true;
}

std::optional<cache::HostResult> HostCall::State::MakeResult(const cache::HostPlan::Step& step,
                                                             const Sink& sink) const {
  switch (step.op) {
    case frame_state::FrameStateOp::kOutput:
      return sink.Get(step.a);
    case frame_state::FrameStateOp::kView:
      return MakeView(step);
    case frame_state::FrameStateOp::kInt:
      return inputs.scalars[step.a].i;
    case frame_state::FrameStateOp::kFloat:
      return inputs.scalars[step.a].f;
    case frame_state::FrameStateOp::kBool:
      return inputs.scalars[step.a].i != 0;
    default:
      return step.constant;
  }
}

std::optional<cache::HostResult> HostCall::State::MakeView(
    const cache::HostPlan::Step& step) const {
  const auto& base = std::get<cache::HostMemory>(results[step.base]);
  cache::HostMemory view = {{}, base.owner};
  const absl::Span<const ScalarValue> scalars(inputs.scalars.data(), inputs.scalars.size());
  if (!frame_state::ApplyViewSpec(plan->views[step.a], scalars, base.view, &view.view))
    return std::nullopt;
  return view;
}

}  // namespace dynacc::capture
