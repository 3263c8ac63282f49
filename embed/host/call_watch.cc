#include "embed/host/call_watch.h"

#include <pthread.h>

#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/synchronization/mutex.h"
#include "embed/host/python_scope.h"
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

struct CallWatch::Call {
  const unsigned long thread = PyThread_get_thread_ident();
  bool running = true;                              // under the GIL
  absl::StatusCode reason = absl::StatusCode::kOk;  // under the GIL; kOk: not stopped
};

struct Cancellation::State {
  absl::Mutex mutex;
  bool cancelled ABSL_GUARDED_BY(mutex) = false;
  std::vector<std::weak_ptr<CallWatch::Call>> calls ABSL_GUARDED_BY(mutex);
};

namespace {

// The exception class; null with an exception set if there is no memory. Needs the GIL.
PyObject* CallStopped() {
  static PyObject* type = PyErr_NewExceptionWithDoc("dynacc.CallStopped",
                                                    "The C++ program that called stops this call.",
                                                    PyExc_BaseException, nullptr);
  return type;
}

}  // namespace

// Keeps the deadlines of running calls, soonest first, and stops what has passed its own.
class DeadlineThread {
 public:
  static DeadlineThread& Get() {
    static DeadlineThread& thread = *new DeadlineThread;
    return thread;
  }

  void Add(absl::Time deadline, const std::shared_ptr<CallWatch::Call>& call) {
    absl::MutexLock lock(&mutex_);
    waiting_.insert({deadline, call});
    changed_ = true;
  }

  void Remove(absl::Time deadline, const std::shared_ptr<CallWatch::Call>& call) {
    absl::MutexLock lock(&mutex_);
    waiting_.erase({deadline, call});
  }

 private:
  using Row = std::pair<absl::Time, std::shared_ptr<CallWatch::Call>>;

  DeadlineThread() {
    std::thread([this] { Run(); }).detach();
  }

  void Run() {
    pthread_setname_np(pthread_self(), "dynacc-deadline");
    for (;;) {
      if (const std::shared_ptr<CallWatch::Call> due = WaitForNext()) {
        GilScope gil;
        CallWatch::Stop(*due, absl::StatusCode::kDeadlineExceeded);
      }
    }
  }

  // The call whose deadline has passed; null if the earliest changed meanwhile.
  std::shared_ptr<CallWatch::Call> WaitForNext() {
    absl::MutexLock lock(&mutex_);
    const absl::Time next = waiting_.empty() ? absl::InfiniteFuture() : waiting_.begin()->first;
    changed_ = false;
    mutex_.AwaitWithDeadline(absl::Condition(&changed_), next);
    if (waiting_.empty() || waiting_.begin()->first > absl::Now()) return nullptr;
    return waiting_.extract(waiting_.begin()).value().second;
  }

  absl::Mutex mutex_;
  bool changed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::btree_set<Row> waiting_ ABSL_GUARDED_BY(mutex_);
};

CallWatch::CallWatch(const CallOptions& options) : options_(options) {
  const bool has_deadline = options.deadline != absl::InfiniteFuture();
  if (!has_deadline && options.cancellation == nullptr) return;
  call_ = std::make_shared<Call>();
  if (has_deadline) DeadlineThread::Get().Add(options.deadline, call_);
  if (options.cancellation == nullptr) return;
  Cancellation::State& state = *options.cancellation->state_;
  absl::MutexLock lock(&state.mutex);
  std::erase_if(state.calls, [](const auto& call) { return call.expired(); });
  state.calls.push_back(call_);
}

CallWatch::~CallWatch() {
  if (call_ == nullptr) return;
  call_->running = false;
  if (options_.deadline != absl::InfiniteFuture()) {
    DeadlineThread::Get().Remove(options_.deadline, call_);
  }
  // A stop that was asked for and not raised yet must not hit what this thread runs next.
  if (call_->reason != absl::StatusCode::kOk) PyThreadState_SetAsyncExc(call_->thread, nullptr);
}

// Needs the GIL, which makes it one with the end of the call.
void CallWatch::Stop(Call& call, absl::StatusCode reason) {
  if (!call.running || call.reason != absl::StatusCode::kOk || CallStopped() == nullptr) return;
  call.reason = reason;
  RaiseInThread(call.thread, CallStopped());
}

absl::Status CallWatch::StatusFor(absl::StatusCode reason) {
  return absl::Status(reason, reason == absl::StatusCode::kCancelled
                                  ? "the call was cancelled"
                                  : "the call did not end before its deadline");
}

absl::Status CallWatch::MayRun(const CallOptions& options) {
  if (options.cancellation != nullptr && options.cancellation->cancelled()) {
    return StatusFor(absl::StatusCode::kCancelled);
  }
  if (options.deadline != absl::InfiniteFuture() && options.deadline <= absl::Now()) {
    return StatusFor(absl::StatusCode::kDeadlineExceeded);
  }
  return absl::OkStatus();
}

std::optional<absl::Status> CallWatch::TakeStop() {
  if (call_ == nullptr || call_->reason == absl::StatusCode::kOk) return std::nullopt;
  if (!PyErr_ExceptionMatches(CallStopped())) return std::nullopt;
  PyErr_Clear();
  return StatusFor(call_->reason);
}

Cancellation::Cancellation() : state_(std::make_shared<State>()) {}

bool Cancellation::cancelled() const {
  absl::MutexLock lock(&state_->mutex);
  return state_->cancelled;
}

void Cancellation::Cancel() {
  std::vector<std::shared_ptr<CallWatch::Call>> calls;
  {
    absl::MutexLock lock(&state_->mutex);
    state_->cancelled = true;
    for (const auto& weak : state_->calls) {
      if (auto call = weak.lock()) calls.push_back(std::move(call));
    }
  }
  if (calls.empty()) return;  // then there may be no interpreter either
  GilScope gil;
  for (const auto& call : calls) CallWatch::Stop(*call, absl::StatusCode::kCancelled);
}

}  // namespace dynacc
