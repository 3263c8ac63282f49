#include "runtime/device/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "runtime/base/options.h"
#include "runtime/device/blocked_signals.h"
#include "runtime/device/fp_flags.h"

namespace dynacc {
namespace {

using Task = absl::FunctionRef<void(int)>;

class Pool {
 public:
  // With fewer workers where the system gives no more threads.
  explicit Pool(int workers) {
    const BlockedSignals blocked;
    for (int i = 0; i < workers; ++i) {
      pthread_t worker;
      if (pthread_create(&worker, nullptr, &Pool::Main, this) == 0) pthread_detach(worker);
    }
  }

  // False if another call is using the pool.
  bool TryRun(int parts, Task task) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    {
      std::lock_guard lock(mutex_);
      task_ = &task;
      parts_ = parts;
      next_ = 0;
      flags_ = 0;
      ++generation_;
    }
    wake_.notify_all();
    TakeParts(task, parts);
    {
      // Workers that woke late find no task; those at work are waited for.
      std::unique_lock lock(mutex_);
      task_ = nullptr;
      idle_.wait(lock, [this] { return active_ == 0; });
    }
    RaiseHardwareFlags(flags_);
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  static void* Main(void* self) {
    static_cast<Pool*>(self)->Work();
    return nullptr;
  }

  void TakeParts(Task task, int parts) {
    for (int part; (part = next_.fetch_add(1, std::memory_order_relaxed)) < parts;) task(part);
  }

  void Work() {
    uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return generation_ != seen && task_ != nullptr; });
      seen = generation_;
      const Task task = *task_;
      const int parts = parts_;
      ++active_;
      lock.unlock();
      ClearHardwareFlags();
      TakeParts(task, parts);
      lock.lock();
      flags_ |= HardwareFlags();
      if (--active_ == 0) idle_.notify_one();
    }
  }

  std::atomic<bool> busy_{false};
  std::atomic<int> next_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  const Task* task_ = nullptr;
  int parts_ = 0;
  int active_ = 0;
  uint32_t flags_ = 0;
  uint64_t generation_ = 0;
};

// Never destroyed: its threads wait in it until the process ends. A forked child forgets it.
std::atomic<Pool*> pool{nullptr};
std::atomic<bool> starting{false};

void ForgetPool() {
  pool = nullptr;
  starting = false;
}

// Null while another thread is starting the pool.
Pool* StartedPool() {
  if (Pool* started = pool.load(std::memory_order_acquire)) return started;
  if (starting.exchange(true)) return pool.load(std::memory_order_acquire);
  static const int registered = pthread_atfork(nullptr, nullptr, ForgetPool);
  (void)registered;
  Pool* started = new Pool(ThreadCount() - 1);
  pool.store(started, std::memory_order_release);
  return started;
}

int CountThreads() {
  const int wanted = std::atoi(ProcessOptions().threads.c_str());
  if (wanted > 0) return std::min(wanted, 256);
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

}  // namespace

int ThreadCount() {
  static const int count = CountThreads();
  return count;
}

void ParallelFor(int parts, Task task) {
  if (parts > 1 && ThreadCount() > 1) {
    Pool* started = StartedPool();
    if (started != nullptr && started->TryRun(parts, task)) return;
  }
  for (int part = 0; part < parts; ++part) task(part);
}

}  // namespace dynacc
