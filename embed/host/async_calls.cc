#include "embed/host/async_calls.h"

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "embed/host/call_gate.h"
#include "embed/include/dynacc/function.h"
#include "runtime/platform/core_load.h"

namespace dynacc {
namespace {

struct Place {
  absl::Mutex mutex;
  bool open ABSL_GUARDED_BY(mutex) = false;
  std::shared_ptr<Executor> executor ABSL_GUARDED_BY(mutex);
};

Place& ThePlace() {
  static Place& place = *new Place;
  return place;
}

// False, without having run anything, if there is no executor: without a Runtime, and in a forked
// child, which has none of its parent's threads. Nobody but the place has a reference to the
// executor: the last one may not go on a thread of its own.
bool RunSomewhere(const std::function<void()>& work) {
  if (TheCallGate().forked()) return false;
  Place& place = ThePlace();
  {
    absl::ReaderMutexLock lock(&place.mutex);
    if (place.executor != nullptr) {
      place.executor->Run(work);
      return true;
    }
  }
  absl::MutexLock lock(&place.mutex);
  if (!place.open) return false;
  if (place.executor == nullptr) place.executor = MakeThreadPool(platform::UsableCores());
  place.executor->Run(work);
  return true;
}

// An asynchronous call: what it needs until it is over.
struct AsyncCall {
  Function function;
  List arguments;
  CallOptions options;
  std::optional<Cancellation> cancellation;
  std::function<void(absl::StatusOr<Value>)> done;

  void Run() {
    if (cancellation.has_value()) options.cancellation = &*cancellation;
    done(function.Call(arguments, options));
  }
};

}  // namespace

void StartAsyncCalls(std::shared_ptr<Executor> executor) {
  Place& place = ThePlace();
  absl::MutexLock lock(&place.mutex);
  place.open = true;
  place.executor = std::move(executor);
}

void EndAsyncCalls() {
  std::shared_ptr<Executor> ending;  // goes last, without the lock
  Place& place = ThePlace();
  absl::MutexLock lock(&place.mutex);
  place.open = false;
  ending = std::move(place.executor);
}

void Function::CallAsync(List arguments, CallOptions options,
                         std::function<void(absl::StatusOr<Value>)> done) const {
  auto call = std::make_shared<AsyncCall>(
      AsyncCall{*this, std::move(arguments), std::move(options), std::nullopt, std::move(done)});
  if (call->options.cancellation != nullptr) call->cancellation = *call->options.cancellation;
  const auto run = [call = std::move(call)] { call->Run(); };
  if (!RunSomewhere(run)) run();  // which refuses
}

std::future<absl::StatusOr<Value>> Function::CallAsync(List arguments, CallOptions options) const {
  auto promise = std::make_shared<std::promise<absl::StatusOr<Value>>>();
  std::future<absl::StatusOr<Value>> future = promise->get_future();
  CallAsync(std::move(arguments), std::move(options),
            [promise](absl::StatusOr<Value> result) { promise->set_value(std::move(result)); });
  return future;
}

}  // namespace dynacc
