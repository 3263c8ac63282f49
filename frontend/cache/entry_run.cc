#include "frontend/cache/entry_run.h"

#include <new>
#include <optional>

#include "boost/container/small_vector.hpp"
#include "frontend/arrays/run_scope.h"
#include "frontend/cache/detached_run.h"
#include "frontend/cache/entry_inputs.h"
#include "frontend/cpython/evaluator.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::cache {
namespace {

template <typename T, size_t kInline>
using SmallVector = boost::container::small_vector<T, kInline>;

// Results become objects of the array library as soon as their memory is asked for.
class ArraySink : public executor::OutputSink {
 public:
  // `frame_state`: all but the outputs, which are put there. `detached`: how the graph runs; null:
  // with the GIL.
  ArraySink(const Entry& entry, frame_state::FrameStateInputs& frame_state,
            frame_state::FrameStateResults& results, DetachedRun* detached)
      : entry_(entry),
        frame_state_(frame_state),
        results_(results),
        detached_(detached),
        arrays_(*frame_state.arrays),
        is_scalar_(entry.output_is_scalar) {
    objects_.resize(is_scalar_.size());
  }

  absl::Status Allocate(int index, StridedView& view) override {
    if (is_scalar_[index]) {
      if (scalars_.empty()) scalars_.resize(is_scalar_.size(), boost::container::default_init);
      Scalar& scalar = scalars_[index];
      view.data = scalar.bytes;
      scalar.view = view;
      return absl::OkStatus();
    }
    const AttachedScope attached(detached_);
    objects_[index] =
        Ref::Steal(arrays_.NewArray(view, entry_.output_is_native[index], entry_.reuses_results));
    if (objects_[index]) return absl::OkStatus();
    PyErr_Clear();
    return absl::ResourceExhaustedError("no memory for a result");
  }

  bool Adopt(int index, const std::shared_ptr<executor::LibraryCallResult>& result) override {
    const AttachedScope attached(detached_);
    Ref object = arrays_.ObjectOf(*result, entry_.output_is_native[index]);
    // It may be an array where a scalar is wanted (x[()] of a result), or the other way round. What
    // can be stored into is an array.
    if (object && result->view.rank == 0) {
      const PyMappingMethods* mapping = Py_TYPE(object.get())->tp_as_mapping;
      const bool is_array = mapping != nullptr && mapping->mp_ass_subscript != nullptr;
      if (is_scalar_[index] || !is_array) return false;
    }
    objects_[index] = std::move(object);
    return objects_[index].get() != nullptr;
  }

  // Everything that the segment leaves behind is made before an array is written: what cannot be
  // made, or a flag that NumPy would report, leaves all as it was.
  bool MayWriteBack(uint32_t flags) override {
    if (detached_ != nullptr) detached_->Attach();
    if (entry_.reports_errors && AreReported(flags)) return false;
    if (!MakeScalars()) return false;
    frame_state_.outputs = {objects_.data(), objects_.size()};
    done_ = frame_state::MaterializeFrameState(entry_.frame_state, frame_state_, results_) &&
            frame_state::EffectsFit(entry_.frame_state.effects, {results_.data(), results_.size()});
    return done_;
  }

  bool done() const { return done_; }

 private:
  struct Scalar {
    alignas(16) char bytes[16];
    StridedView view;
  };

  bool AreReported(uint32_t flags) const {
    if (flags == 0 || entry_.knows_error_state) return flags != 0;
    return (flags & arrays_.ReportedFpFlags()) != 0;
  }

  // Scalar objects from the bytes that were written.
  bool MakeScalars() {
    for (size_t i = 0; i < objects_.size(); ++i) {
      if (is_scalar_[i] && !objects_[i])
        objects_[i] = Ref::Steal(arrays_.NewScalar(scalars_[i].view));
      if (!objects_[i]) {
        PyErr_Clear();
        return false;
      }
    }
    return true;
  }

  const Entry& entry_;
  frame_state::FrameStateInputs& frame_state_;
  frame_state::FrameStateResults& results_;
  DetachedRun* const detached_;
  const arrays::ArrayNamespace& arrays_;
  const std::vector<bool>& is_scalar_;
  SmallVector<Ref, 4> objects_;
  SmallVector<Scalar, 1> scalars_;
  bool done_ = false;
};

// Counts the time in library calls, which no compile makes shorter.
class TimedLibraryCalls : public executor::LibraryCaller {
 public:
  explicit TimedLibraryCalls(executor::LibraryCaller& library_calls)
      : library_calls_(library_calls) {}

  absl::StatusOr<std::shared_ptr<executor::LibraryCallResult>> Call(
      const executor::LibraryCallArguments& arguments) override {
    const int64_t start = ThreadNanoseconds();
    auto result = library_calls_.Call(arguments);
    nanoseconds_ += ThreadNanoseconds() - start;
    return result;
  }

  int64_t nanoseconds() const { return nanoseconds_; }

 private:
  executor::LibraryCaller& library_calls_;
  int64_t nanoseconds_ = 0;
};

// Runs the graph; the time of its kernels is added to `nanoseconds`.
absl::StatusOr<uint32_t> RunTimed(const executor::CompiledGraph& graph, executor::RunArguments run,
                                  int64_t& nanoseconds) {
  TimedLibraryCalls library_calls(*run.library_calls);
  run.library_calls = &library_calls;
  const int64_t start = ThreadNanoseconds();
  absl::StatusOr<uint32_t> flags = graph.Run(run);
  nanoseconds += ThreadNanoseconds() - start - library_calls.nanoseconds();
  return flags;
}

// Elements times operations from which other threads may run meanwhile: some ten microseconds, if
// all operations are on the largest array. What has been timed is known better, unless this run is
// of far larger arrays.
constexpr int64_t kWorkToDetach = 1 << 15;
constexpr int64_t kFarMoreWork = 16 * kWorkToDetach;
constexpr int64_t kNanosecondsToDetach = 10'000;

// Whether the entry does nothing but compute (detached_run.h says why), and enough of it.
bool MayDetach(const Entry& entry, const EntryInputs& inputs) {
  if (!entry.frame_state.effects.empty() || !entry.written.empty() || entry.calls_library)
    return false;
  int64_t largest = 0;
  for (const StridedView& view : inputs.views) largest = std::max(largest, view.size());
  const int64_t work = largest * entry.num_operations;
  const int64_t least = work >= kFarMoreWork ? 0 : kNanosecondsToDetach;
  return work >= kWorkToDetach && entry.statistics.trial.least_run() >= least;
}

// What asks whether signals, or an exception from another thread (a host's deadline), end the run;
// null: nothing does. Needs the GIL, as far as it goes.
bool (*StopCheck(bool interruptible, bool detached))() {
  if (!interruptible) return nullptr;
  if (!detached) return SignalsWait;
  if (!RunsSignalHandlers()) return ExceptionWaits;
  return [] { return AnySignalWaits() || ExceptionWaits(); };
}

}  // namespace

EntryOutcome RunEntryGraph(const Entry& entry, absl::Span<const BorrowedRef> slots,
                           BorrowedRef function, arrays::ArrayNamespace& arrays, bool interruptible,
                           frame_state::FrameStateResults& results, int64_t* kernel_nanoseconds,
                           const executor::CompiledGraph* instead) try {
  EntryInputs inputs;
  if (!EvaluateEntry(entry, slots, arrays, inputs)) return EntryOutcome::kMismatch;
  if (entry.needs_usual_buffers && !arrays.HasUsualBuffers()) return EntryOutcome::kFallback;
  // A library call may let other threads and finalisers run, which may drop what the frame refers
  // to.
  SmallVector<Ref, 8> held;
  if (entry.calls_library) {
    for (BorrowedRef slot : slots) held.push_back(Ref::New(slot));
  }
  if (!ReadArrays(entry, slots, arrays, inputs)) return EntryOutcome::kMismatch;
  frame_state::FrameStateInputs frame_state;
  frame_state.slots = slots;
  frame_state.scalars = {inputs.scalars.data(), inputs.scalars.size()};
  frame_state.function = function;
  frame_state.arrays = &arrays;
  executor::RunArguments run;
  run.inputs = {inputs.views.data(), inputs.views.size()};
  run.scalars = frame_state.scalars;
  run.late = {inputs.scalars.data(), inputs.scalars.size()};
  run.library_calls = &arrays.library_calls();
  const bool detaches = MayDetach(entry, inputs);
  run.stop = StopCheck(interruptible, detaches);
  // Other threads, and finalisers, may run this entry meanwhile and find its next tier made; this
  // one stays (EntryTier::first_tier).
  const executor::CompiledGraph& graph = instead != nullptr ? *instead : *entry.tier.compiled;
  std::optional<DetachedRun> detached;
  if (detaches) detached.emplace(slots);
  SmallVector<BorrowedRef, 2> objects;
  for (const int slot : entry.object_slots) objects.push_back(slots[slot]);
  std::optional<arrays::RunScope> scope;
  if (entry.calls_library) scope.emplace(absl::MakeSpan(objects.data(), objects.size()));
  ArraySink sink(entry, frame_state, results, detached ? &*detached : nullptr);
  run.sink = &sink;
  const platform::ScopedThreadLimit threads(entry.most_threads);
  absl::StatusOr<uint32_t> flags =
      kernel_nanoseconds == nullptr ? graph.Run(run) : RunTimed(graph, run, *kernel_nanoseconds);
  if (detached) detached->Attach();
  if (absl::IsCancelled(flags.status())) return EntryOutcome::kInterrupted;
  if (!flags.ok()) {
    // Without memory for a result NumPy will say so itself, in its own words.
    // Likewise where one of its functions raised an error.
    // Of tensors on a device the eager function that comes next says why it cannot compute.
    if (!absl::IsResourceExhausted(flags.status()) && !absl::IsAborted(flags.status()) &&
        !entry.on_device) {
      WarnOnce(absl::StrCat("run:", flags.status().message()),
               absl::StrCat("a compiled segment could not run (", flags.status().message(),
                            "); CPython ran it instead"));
    }
    return EntryOutcome::kFallback;
  }
  if (!sink.done()) return EntryOutcome::kFallback;
  if (scope) scope->Keep();
  return EntryOutcome::kDone;
} catch (const std::bad_alloc&) {
  // Until a run is done it has changed nothing: CPython runs the stretch, and says so if that needs
  // more memory than there is.
  PyErr_Clear();
  results.clear();
  return EntryOutcome::kFallback;
}

}  // namespace dynacc::cache
