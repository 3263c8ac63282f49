#include "codegen/targets/compile_threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/platform/blocked_signals.h"
#include "runtime/platform/thread_pool.h"

namespace dynacc::targets {
namespace {

constexpr size_t kStackBytes = size_t{8} << 20;

thread_local bool in_task = false;

struct Tasks {
  absl::FunctionRef<void(int)> task;
  int count;
  std::atomic<int> next{0};

  void Take() {
    in_task = true;
    for (int index; (index = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(index);
    in_task = false;
  }
};

void* TakeTasks(void* tasks) {
  static_cast<Tasks*>(tasks)->Take();
  return nullptr;
}

// Fewer where the system gives no more.
std::vector<pthread_t> StartThreads(int count, Tasks& tasks) {
  std::vector<pthread_t> threads;
  const platform::BlockedSignals blocked;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  for (pthread_t thread; count > 0; --count) {
    if (pthread_create(&thread, &attributes, TakeTasks, &tasks) == 0) threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  return threads;
}

}  // namespace

void RunOnThreads(int count, absl::FunctionRef<void(int index)> task) {
  if (count <= 1 || in_task) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  Tasks tasks{task, count};
  const std::vector<pthread_t> threads =
      StartThreads(std::min(count, platform::ThreadCount()) - 1, tasks);
  tasks.Take();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace dynacc::targets
