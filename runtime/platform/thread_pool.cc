#include "runtime/platform/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "runtime/base/clock.h"
#include "runtime/base/options.h"
#include "runtime/platform/blocked_signals.h"
#include "runtime/platform/core_load.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::platform {
namespace {

using Task = absl::FunctionRef<void(int)>;

// A worker stays awake for this long after WorkersAreAwake said so, or after the work that
// followed.
constexpr int64_t kAwakeNanoseconds = 50'000;

// So many questions, each this soon after the one before, are a loop of small runs.
constexpr int kManyInARow = 8;
constexpr int64_t kSoonNanoseconds = 200'000;

// What the caller does itself of a small run takes no longer than this. Waiting as long for the
// rest means that a worker had lost its core. Small runs then stay with their thread for a while:
// twice as long each time, less again as they go well.
constexpr int64_t kStallNanoseconds = 200'000;
constexpr int64_t kShortestPause = 20'000'000;
constexpr int64_t kLongestPause = 2'000'000'000;

// How long it is taken to be so that a core is free, or that none is.
constexpr int64_t kLoadNanoseconds = 20'000'000;

void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// When small runs are worth splitting. Atomics without order: what they say is a guess.
class SmallRuns {
 public:
  // Whether the workers are to be awake at `now`; `awake`: so many are already.
  bool Ask(int64_t now, int awake) {
    if (now < paused_until_.load(std::memory_order_relaxed)) return false;
    const bool soon = now - last_asked_.exchange(now, std::memory_order_relaxed) < kSoonNanoseconds;
    const int row = soon ? row_.load(std::memory_order_relaxed) + 1 : 0;
    row_.store(row, std::memory_order_relaxed);
    if (awake == 0 && row < kManyInARow) return false;
    // Called again and again, and none has come.
    if (awake == 0 && row > 8 * kManyInARow) return Pause(now);
    if (!HasFreeCore(now, awake)) return Rest();
    awake_until_.store(now + kAwakeNanoseconds, std::memory_order_relaxed);
    return true;
  }

  bool AreExpected(int64_t now) const { return now < awake_until_.load(std::memory_order_relaxed); }
  void StayAwakeAfterWork(int64_t now) {
    if (awake_until_.load(std::memory_order_relaxed) != 0) {
      awake_until_.store(now + kAwakeNanoseconds, std::memory_order_relaxed);
    }
  }

  // How long the caller waited for others at the end of a run.
  void Waited(int64_t nanoseconds, int64_t now) {
    if (nanoseconds >= kStallNanoseconds) {
      Pause(now);
      return;
    }
    const int64_t pause = pause_.load(std::memory_order_relaxed);
    pause_.store(std::max(kShortestPause, pause - pause / 512), std::memory_order_relaxed);
  }

 private:
  // Whether other programs leave a core for a worker. Without one it would wait for the caller's
  // core, or for other programs' turns to end, in the middle of a run that the caller needs.
  bool HasFreeCore(int64_t now, int awake) {
    if (now - last_looked_.load(std::memory_order_relaxed) >= kLoadNanoseconds) {
      last_looked_.store(now, std::memory_order_relaxed);
      const int others = RunnableThreads("") - 1 - awake;
      has_free_core_.store(others + 2 <= OnlineCores(), std::memory_order_relaxed);
    }
    return has_free_core_.load(std::memory_order_relaxed);
  }

  bool Rest() {
    awake_until_.store(0, std::memory_order_relaxed);
    row_.store(0, std::memory_order_relaxed);
    return false;
  }

  bool Pause(int64_t now) {
    const int64_t pause = pause_.load(std::memory_order_relaxed);
    paused_until_.store(now + pause, std::memory_order_relaxed);
    pause_.store(std::min(kLongestPause, 2 * pause), std::memory_order_relaxed);
    return Rest();
  }

  std::atomic<int64_t> last_asked_{0};
  std::atomic<int64_t> last_looked_{0};
  std::atomic<bool> has_free_core_{true};
  std::atomic<int> row_{0};
  std::atomic<int64_t> awake_until_{0};
  std::atomic<int64_t> paused_until_{0};
  std::atomic<int64_t> pause_{kShortestPause};
};

SmallRuns small_runs;

class Pool {
 public:
  // With fewer workers where the system gives no more threads.
  explicit Pool(int workers) {
    const BlockedSignals blocked;
    for (int i = 0; i < workers; ++i) {
      pthread_t worker;
      if (pthread_create(&worker, nullptr, &Pool::Main, this) != 0) continue;
      pthread_detach(worker);
      ++workers_;
    }
  }

  int AwakeWorkers() const { return awake_.load(std::memory_order_relaxed); }

  // False if another call is using the pool.
  bool TryRun(int parts, Task task) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    const int64_t start = NowNanoseconds();
    const bool is_expected = small_runs.AreExpected(start);
    {
      std::lock_guard lock(mutex_);
      task_ = &task;
      parts_ = parts;
      next_ = 0;
      flags_ = 0;
      generation_.fetch_add(1, std::memory_order_release);
    }
    Wake(parts - 1 - awake_.load(std::memory_order_relaxed));
    TakeParts(task, parts);
    WaitForOthers(is_expected && NowNanoseconds() - start < kStallNanoseconds);
    RaiseHardwareFlags(flags_);
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  static void* Main(void* self) {
    static_cast<Pool*>(self)->Work();
    return nullptr;
  }

  void Wake(int sleepers) {
    if (sleepers >= workers_) return wake_.notify_all();
    for (int i = 0; i < sleepers; ++i) wake_.notify_one();
  }

  void TakeParts(Task task, int parts) {
    for (int part; (part = next_.fetch_add(1, std::memory_order_relaxed)) < parts;) task(part);
  }

  // Workers that woke late find no task; those at work are waited for.
  void WaitForOthers(bool is_small) {
    {
      std::lock_guard lock(mutex_);
      task_ = nullptr;
    }
    if (is_small) {
      const int64_t start = NowNanoseconds();
      int64_t now = start;
      while (active_.load(std::memory_order_acquire) != 0 && now - start < kStallNanoseconds) {
        for (int i = 0; i < 16; ++i) Relax();
        now = NowNanoseconds();
      }
      small_runs.Waited(now - start, now);
    }
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return active_.load(std::memory_order_relaxed) == 0; });
  }

  // Until there is a new generation, as long as small runs are expected.
  void StayAwake(uint64_t seen) {
    if (!small_runs.AreExpected(NowNanoseconds())) return;
    awake_.fetch_add(1, std::memory_order_relaxed);
    do {
      for (int i = 0; i < 16; ++i) Relax();
    } while (generation_.load(std::memory_order_acquire) == seen &&
             small_runs.AreExpected(NowNanoseconds()));
    awake_.fetch_sub(1, std::memory_order_relaxed);
  }

  // Returns with a task of another generation than `seen`, which becomes the task's.
  void WaitForTask(std::unique_lock<std::mutex>& lock, uint64_t& seen) {
    for (bool has_stayed = false;;) {
      const uint64_t generation = generation_.load(std::memory_order_relaxed);
      const bool is_new = generation != seen;
      seen = generation;
      if (is_new && task_ != nullptr) return;
      if (is_new || !has_stayed) {  // just done with one, or too late for one: the next may be near
        has_stayed = true;
        lock.unlock();
        StayAwake(seen);
        lock.lock();
      } else {
        wake_.wait(lock);
      }
    }
  }

  void Work() {
    uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex_);
      WaitForTask(lock, seen);
      const Task task = *task_;
      const int parts = parts_;
      active_.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      ClearHardwareFlags();
      TakeParts(task, parts);
      small_runs.StayAwakeAfterWork(NowNanoseconds());
      lock.lock();
      flags_ |= HardwareFlags();
      if (active_.fetch_sub(1, std::memory_order_release) == 1) idle_.notify_one();
    }
  }

  std::atomic<bool> busy_{false};
  std::atomic<int> next_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  const Task* task_ = nullptr;
  int parts_ = 0;
  std::atomic<int> active_{0};
  uint32_t flags_ = 0;
  std::atomic<uint64_t> generation_{0};  // changed under mutex_
  std::atomic<int> awake_{0};            // workers that look for work without sleeping
  int workers_ = 0;
};

// Never destroyed: its threads wait in it until the process ends. A forked child forgets it.
std::atomic<Pool*> pool{nullptr};
std::atomic<bool> starting{false};

void ForgetPool() {
  pool = nullptr;
  starting = false;
}

int CountThreads() {
  const int wanted = std::atoi(ProcessOptions().threads.c_str());
  if (wanted > 0) return std::min(wanted, 256);
  return UsableCores();
}

int PoolSize() {
  static const int size = CountThreads();
  return size;
}

// Null while another thread is starting the pool.
Pool* StartedPool() {
  if (Pool* started = pool.load(std::memory_order_acquire)) return started;
  if (starting.exchange(true)) return pool.load(std::memory_order_acquire);
  static const int registered = pthread_atfork(nullptr, nullptr, ForgetPool);
  (void)registered;
  Pool* started = new Pool(PoolSize() - 1);
  pool.store(started, std::memory_order_release);
  return started;
}

thread_local int thread_limit = 0;  // 0: none

}  // namespace

int ThreadCount() { return thread_limit > 0 ? std::min(thread_limit, PoolSize()) : PoolSize(); }

ScopedThreadLimit::ScopedThreadLimit(int most) : before_(thread_limit) {
  if (most > 0) thread_limit = most;
}

ScopedThreadLimit::~ScopedThreadLimit() { thread_limit = before_; }

bool WorkersAreAwake() {
  if (ThreadCount() < 2) return false;
  const Pool* started = pool.load(std::memory_order_acquire);
  return small_runs.Ask(NowNanoseconds(), started == nullptr ? 0 : started->AwakeWorkers());
}

void ParallelFor(int parts, Task task) {
  if (parts > 1 && ThreadCount() > 1) {
    Pool* started = StartedPool();
    if (started != nullptr && started->TryRun(parts, task)) return;
  }
  for (int part = 0; part < parts; ++part) task(part);
}

}  // namespace dynacc::platform
