#include "embed/host/fast_call.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <variant>

#include "boost/container/small_vector.hpp"
#include "embed/host/arrays.h"
#include "embed/host/call_watch.h"
#include "embed/host/element_types.h"
#include "embed/host/host_buffer.h"
#include "embed/host/python_scope.h"
#include "embed/host/python_values.h"
#include "embed/module/compiled_function.h"
#include "frontend/arrays/loaded_libraries.h"

namespace dynacc {
namespace {

// So many calls of a batch find what an earlier one has used.
constexpr size_t kMostKept = 64;

// Whether NumPy is there, as far as a thread without the GIL knows.
std::atomic<bool> g_arrays_are_loaded = false;

// Null for what is no array.
const TensorView* ViewOf(const Value& value) {
  if (value.Is<TensorView>()) return &value.As<TensorView>();
  if (value.Is<Tensor>()) return &value.tensor().view();
  return nullptr;
}

// Options of the call that this thread runs, while it does.
thread_local const CallOptions* t_options = nullptr;

bool ShallStop() { return !CallWatch::MayRun(*t_options).ok(); }

Value ValueOf(const capture::HostCall& call, int number);

Value TensorOver(const cache::HostMemory& memory) {
  const StridedView& view = memory.view;
  TensorView tensor{view.data, ElementTypeOf(view.dtype), {}, {}, true, 0};
  tensor.shape.assign(view.shape, view.shape + view.rank);
  tensor.strides.assign(view.strides, view.strides + view.rank);
  return TensorAccess::Make(std::move(tensor), memory.owner);
}

Value ContainerOf(const capture::HostCall& call, const cache::HostItems& container) {
  if (!container.is_dict) {
    List list;
    for (const int item : container.items) list.push_back(ValueOf(call, item));
    return list;
  }
  Dict dict;
  for (size_t i = 0; i < container.items.size(); i += 2) {
    dict.emplace_back(std::get<std::string>(call.results()[container.items[i]]),
                      ValueOf(call, container.items[i + 1]));
  }
  return dict;
}

struct Converter {
  const capture::HostCall& call;
  Value operator()(std::monostate) const { return {}; }
  Value operator()(const cache::HostMemory& memory) const { return TensorOver(memory); }
  Value operator()(const cache::HostItems& container) const { return ContainerOf(call, container); }
  template <typename T>
  Value operator()(const T& plain) const {
    return plain;
  }
};

Value ValueOf(const capture::HostCall& call, int number) {
  return std::visit(Converter{call}, call.results()[number]);
}

}  // namespace

// What a call works with.
struct FastCall::Scratch {
  std::unique_ptr<numpy::LentArray[]> lent;
  size_t room = 0;  // for so many of them
  capture::HostCall call;
};

// Those of earlier calls of this thread.
std::vector<std::unique_ptr<FastCall::Scratch>>& FastCall::Kept() {
  thread_local std::vector<std::unique_ptr<Scratch>> kept;
  return kept;
}

FastCall::FastCall(absl::Span<const Value> arguments, const CallOptions& options)
    : values_(arguments), options_(options) {
  if (!options.keywords.empty() || !g_arrays_are_loaded.load(std::memory_order_acquire)) return;
  auto& kept = Kept();
  if (kept.empty()) {
    scratch_ = std::make_unique<Scratch>();
  } else {
    scratch_ = std::move(kept.back());
    kept.pop_back();
  }
  may_fit_ = LendArrays();
}

FastCall::FastCall(FastCall&&) noexcept = default;

FastCall::~FastCall() {
  if (scratch_ == nullptr) return;
  Drop();
  scratch_->call.Clear();
  auto& kept = Kept();
  if (kept.size() < kMostKept) kept.push_back(std::move(scratch_));
}

// False if one of them is no array after all, has too many axes, is in a device's memory, or of
// elements that NumPy lacks.
bool FastCall::LendArrays() {
  const auto is_array = [](const Value& value) { return ViewOf(value) != nullptr; };
  const auto count = static_cast<size_t>(std::count_if(values_.begin(), values_.end(), is_array));
  if (count > scratch_->room) {
    scratch_->lent = std::make_unique<numpy::LentArray[]>(count);
    scratch_->room = count;
  }
  for (const Value& value : values_) {
    const TensorView* view = ViewOf(value);
    if (view == nullptr) continue;
    if (!CheckView(*view).ok() || view->shape.size() > kMaxRank || view->device != 0) return false;
    if (IsLowPrecision(DTypeOf(view->type))) return false;
    scratch_->lent[num_lent_++].Set({static_cast<char*>(view->data), DTypeOf(view->type),
                                     static_cast<int>(view->shape.size()), view->shape.data(),
                                     view->strides.empty() ? nullptr : view->strides.data(),
                                     view->writable});
  }
  return true;
}

bool FastCall::Match(BorrowedRef callable) {
  if (!may_fit_) {
    if (arrays::ArraysAreLoaded()) g_arrays_are_loaded.store(true, std::memory_order_release);
    return false;
  }
  BorrowedRef self = nullptr;
  if (PyMethod_Check(callable)) {
    self = PyMethod_GET_SELF(callable);
    callable = PyMethod_GET_FUNCTION(callable);
  }
  if (PyFunction_Check(callable)) return MatchFunction(callable, nullptr, self);
  const CompiledCallable compiled = FunctionBehind(callable);
  return compiled.function != nullptr &&
         MatchFunction(compiled.function, compiled.compilation, self);
}

bool FastCall::MatchFunction(BorrowedRef function, const cache::Compilation* compilation,
                             BorrowedRef self) {
  boost::container::small_vector<BorrowedRef, 8> arguments;
  boost::container::small_vector<Ref, 4> made;  // nothing that is run needs them
  if (self != nullptr) arguments.push_back(self);
  size_t lent = 0;
  for (const Value& value : values_) {
    if (ViewOf(value) != nullptr) {
      arguments.push_back(scratch_->lent[lent++].object());
      continue;
    }
    absl::StatusOr<Ref> object = ToPython(value);
    if (!object.ok()) return false;
    made.push_back(*std::move(object));
    arguments.push_back(made.back().get());
  }
  return scratch_->call.Match(function, compilation, {arguments.data(), arguments.size()},
                              {scratch_->lent.get(), num_lent_});
}

capture::HostCall::Outcome FastCall::Compute(absl::Span<const StridedView> places) {
  const bool may_stop =
      options_.cancellation != nullptr || options_.deadline != absl::InfiniteFuture();
  t_options = &options_;
  capture::HostCall& call = scratch_->call;
  const capture::HostCall::Outcome outcome = call.Run(may_stop ? ShallStop : nullptr, places);
  Drop();
  return outcome;
}

void FastCall::Drop() {
  if (!scratch_->call.holds_objects()) return;
  const GilScope gil;
  scratch_->call.Drop();
}

std::optional<absl::StatusOr<Value>> FastCall::Run() {
  const capture::HostCall::Outcome outcome = Compute({});
  if (outcome == capture::HostCall::Outcome::kFallback) return std::nullopt;
  if (outcome == capture::HostCall::Outcome::kStopped) return CallWatch::MayRun(options_);
  return ValueOf(scratch_->call, scratch_->call.returned());
}

std::optional<absl::Status> FastCall::RunInto(const Outputs& outputs) {
  const capture::HostCall::Outcome outcome = Compute(outputs.views());
  if (outcome == capture::HostCall::Outcome::kFallback) return std::nullopt;
  if (outcome == capture::HostCall::Outcome::kStopped) return CallWatch::MayRun(options_);
  const absl::Span<const int> values = scratch_->call.values();
  absl::Status status = outputs.CheckCount(values.size());
  for (size_t i = 0; status.ok() && i < values.size(); ++i) {
    status = outputs.Put(i, scratch_->call.results()[values[i]]);
  }
  return status;
}

}  // namespace dynacc
