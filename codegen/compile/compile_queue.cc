#include "codegen/compile/compile_queue.h"

#include <pthread.h>
#include <sched.h>

#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <utility>

#include "codegen/passes/graph_rewriter.h"
#include "runtime/platform/blocked_signals.h"

namespace dynacc::compile {
namespace {

constexpr size_t kStackBytes = size_t{8} << 20;  // Clang's recursion is made for that

// Never destroyed. Forks and Stop end the thread by joining it: with no thread there is no state
// that a child could find broken.
class Queue {
 public:
  static Queue& Process() {
    static Queue& queue = *[] {
      auto* made = new Queue(/*is_idle=*/false);
      pthread_atfork([] { Process().Pause(/*forgets=*/false); }, [] { Process().Resume(); },
                     [] { Process().Resume(); });
      return made;
    }();
    return queue;
  }
  // The thread of which has idle priority. Its job may be about to add to the other queue, so at a
  // fork it ends before that one is locked: what is registered last comes first.
  static Queue& Idle() {
    static Queue& queue = *[] {
      Process();
      auto* made = new Queue(/*is_idle=*/true);
      pthread_atfork([] { Idle().Pause(/*forgets=*/false); }, [] { Idle().Resume(); },
                     [] { Idle().Resume(); });
      return made;
    }();
    return queue;
  }

  // Whether the job in hand is to end soon.
  bool shall_stop() const { return stop_.load(std::memory_order_relaxed); }

  void Add(std::function<void()> job) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    StartIfNeeded();
  }

  void Stop() {
    Pause(/*forgets=*/true);
    Resume();
  }

 private:
  explicit Queue(bool is_idle) : is_idle_(is_idle) {}

  // Under mutex_. A thread that is no longer working has nothing left to do but to end.
  void StartIfNeeded() {
    if (working_ || paused_ || waiting_.empty()) return;
    JoinThread();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const platform::BlockedSignals blocked;
    has_thread_ = working_ = pthread_create(&thread_, &attributes, &Queue::Main, this) == 0;
    pthread_attr_destroy(&attributes);
  }

  // Under mutex_, or while paused: then nobody else starts or joins one.
  void JoinThread() {
    if (has_thread_) pthread_join(thread_, nullptr);
    has_thread_ = false;
  }

  static void* Main(void* self) {
    auto* const queue = static_cast<Queue*>(self);
    const sched_param no_priority = {};
    if (queue->is_idle_) pthread_setschedparam(pthread_self(), SCHED_IDLE, &no_priority);
    queue->Work();
    return nullptr;
  }

  void Work() {
    while (const std::function<void()> job = Next()) job();
  }

  std::function<void()> Next() {
    std::lock_guard lock(mutex_);
    if (paused_ || waiting_.empty()) {
      working_ = false;
      return nullptr;
    }
    std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    return job;
  }

  // Ends the thread with the job in hand. Until Resume, which is to come on the same thread, none
  // is started, whoever adds jobs, and both mutexes are held.
  void Pause(bool forgets) {
    starts_.lock();
    {
      std::lock_guard lock(mutex_);
      paused_ = true;
      if (forgets) waiting_.clear();
    }
    stop_ = true;
    JoinThread();
    stop_ = false;
    mutex_.lock();
  }

  void Resume() {
    paused_ = false;
    StartIfNeeded();
    mutex_.unlock();
    starts_.unlock();
  }

  const bool is_idle_;
  std::mutex starts_;  // held from Pause to Resume; before mutex_
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;
  bool working_ = false;  // the thread will look at waiting_ again
  bool paused_ = false;
  std::atomic<bool> stop_{false};
  bool has_thread_ = false;  // thread_ is to be joined
  pthread_t thread_;
};

}  // namespace

void CompileJob::Run() {
  try {
    result_ = CompileGraph(*graph_, options_);
  } catch (const std::bad_alloc&) {
    result_ = absl::ResourceExhaustedError("no memory to compile a graph");
  }
  graph_.reset();
  done_.store(true, std::memory_order_release);
}

std::shared_ptr<const CompileJob> CompileLater(const ir::Graph& graph, CompileOptions options) {
  options.in_background = options.tries_again = true;
  auto job = std::make_shared<CompileJob>(
      passes::FilterGraph(graph, [](const ir::Node&) { return true; }), options);
  Queue::Process().Add([job] { job->Run(); });
  return job;
}

void CompileLater(std::function<void()> compile) { Queue::Process().Add(std::move(compile)); }

void RunWhenIdle(std::function<void(bool (*stop)())> job) {
  Queue::Idle().Add([job = std::move(job)] { job([] { return Queue::Idle().shall_stop(); }); });
}

void StopCompiling() {
  Queue::Idle().Stop();
  Queue::Process().Stop();
}

}  // namespace dynacc::compile
